import Signals
import Testing

/// Executing again and again, with synchronous work, in constant stack.
@Suite struct CommandStackTests {
  @Test func `executing again from executing does not grow the stack`() {
    onSmallStack {
      let made = Counter()
      let command = Command<Int, Int, Never> { input in
        made.increment()
        return .just(input)
      }
      command.executing.skip(1).filter { !$0 }.subscribe(next: { [weak command] _ in
        if made.value < manyRounds { command?.execute(0) }
      })
      command.execute(0)
      #expect(made.value == manyRounds)
      #expect(values(of: command.executing) == [false])
    }
  }

  @Test func `executing again from the completion of the result does not grow the stack`() {
    onSmallStack {
      let repeating = Repeating()
      repeating.execute()
      #expect(repeating.made.value == manyRounds)
    }
  }

  @Test func `executing again from errors does not grow the stack`() {
    onSmallStack {
      let made = Counter()
      let command = Command<Int, Int, Trouble> { _ in
        made.increment()
        return .fail(Trouble())
      }
      command.errors.subscribe(next: { [weak command] _ in
        if made.value < manyRounds { command?.execute(0) }
      })
      command.execute(0)
      #expect(made.value == manyRounds)
    }
  }

  /// Executes again whenever it hears the end of the last execution from its result.
  private final class Repeating: Sendable {
    let made: Counter
    private let command: Command<Int, Int, Never>

    init() {
      let made = Counter()
      self.made = made
      command = Command { input in
        made.increment()
        return .just(input)
      }
    }

    func execute() {
      command.execute(0).subscribe(completed: { [self] in
        if made.value < manyRounds { execute() }
      })
    }
  }
}
