import Signals
import SignalsTesting
import Testing

/// What happens when a command goes, and what it leaves behind.
@Suite struct CommandLifetimeTests {
  @Test func `when it goes while idle its signals complete, enabled and executions first`() {
    let recorder = Recorder()
    let isValid = Property(true)
    do {
      let command = Command<Int, Int, Trouble>(enabled: isValid.signal) { _ in .empty }
      recorder.record(command)
    }
    isValid.value = false
    #expect(
      recorder.words() == [
        "executing false", "enabled true",
        "executions completed", "enabled completed", "events completed", "errors completed",
        "executing completed",
      ]
    )
  }

  @Test
  func
    `when it goes its work is not canceled, and the error still reaches errors, before the end`()
  {
    let recorder = Recorder()
    let work = Subject<Int, MarbleError>()
    let disposals = Counter()
    do {
      let command = Command<Int, Int, MarbleError> { _ in
        work.signal.do(disposed: { disposals.increment() })
      }
      recorder.record(command)
      recorder.record(command.execute(1), as: "result")
    }
    #expect(disposals.value == 0)
    #expect(recorder.words().suffix(2) == ["executions completed", "enabled completed"])
    let start = recorder.lines.count
    work.send(1)
    work.fail(MarbleError())
    #expect(
      recorder.words(from: start) == [
        "execution 1", "result 1", "event next 1",
        "event failed #", "execution completed", "result failed failed(#)", "errors #",
        "executing false", "events completed", "errors completed", "executing completed",
      ]
    )
    #expect(disposals.value == 1)
  }

  @Test func `when it goes its events and errors end with the last of its executions`() {
    let recorder = Recorder()
    let works = [Subject<Int, Trouble>(), Subject<Int, Trouble>()]
    do {
      let command = Command<Int, Int, Trouble> { works[$0].signal }
      command.allowsConcurrentExecution = true
      recorder.record(command)
      command.execute(0)
      command.execute(1)
    }
    let end = ["events completed", "errors completed", "executing completed"]
    works[0].complete()
    #expect(!recorder.words().contains { end.contains($0) })
    works[1].complete()
    #expect(recorder.words().suffix(3) == end)
  }

  @Test func `with a scheduler too it completes its signals, in turns`() {
    let turns = TurnScheduler()
    let work = Subject<Int, Trouble>()
    do {
      let command = Command<Int, Int, Trouble>(scheduler: turns) { _ in work.signal }
      command.executing.subscribe(completed: { turns.note("executing completed") })
      command.enabled.subscribe(completed: { turns.note("enabled completed") })
      command.errors.subscribe(
        next: { turns.note("errors \($0.number)") }, completed: { turns.note("errors completed") })
      command.execute(1)
      turns.run()
    }
    #expect(turns.lines == [])
    turns.run()
    work.fail(Trouble(number: 3))
    turns.run()
    #expect(
      turns.lines.map { $0.drop { $0 != " " }.dropFirst() } == [
        "enabled completed", "errors 3", "errors completed", "executing completed",
      ]
    )
  }

  @Test func `a command that goes within its own callback completes afterwards`() {
    let recorder = Recorder()
    let holder = Holder(Command<Int, Int, Trouble> { .just($0) })
    holder.command?.executing.skip(1).subscribe(
      next: { value in
        recorder.note("executing \(value)")
        holder.command = nil
      },
      completed: { recorder.note("executing completed") }
    )
    holder.command?.execute(1)
    #expect(recorder.words() == ["executing true", "executing false", "executing completed"])
  }

  @Test(arguments: Ending.allCases)
  func `nothing leaks, however its executions end`(ending: Ending) {
    weak var seen: Counter?
    let isValid = Property(true)
    do {
      let counter = Counter()
      seen = counter
      let work = Subject<Int, Trouble>()
      let command = Command<Int, Int, Trouble>(enabled: isValid.signal) { _ in
        counter.increment()
        return ending == .never ? .never : work.signal
      }
      command.executing.subscribe(next: { _ in counter.increment() })
      command.enabled.subscribe(next: { _ in counter.increment() })
      command.errors.subscribe(next: { _ in counter.increment() })
      command.executionEvents.subscribe(next: { _ in counter.increment() })
      command.executionSignals.flatten().subscribe(next: { _ in counter.increment() })
      command.execute(1).subscribe(next: { _ in counter.increment() })
      work.send(1)
      switch ending {
      case .completes: work.complete()
      case .fails: work.fail(Trouble())
      case .isLetGo, .never: break
      }
    }
    #expect(seen == nil)
  }

  enum Ending: CaseIterable {
    case completes, fails, isLetGo, never
  }
}

/// A place for a command that a callback can empty.
private final class Holder: @unchecked Sendable {
  // @unchecked Sendable because its test has one thread.
  var command: Command<Int, Int, Trouble>?

  init(_ command: Command<Int, Int, Trouble>) {
    self.command = command
  }
}
