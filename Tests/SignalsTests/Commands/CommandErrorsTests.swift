import Signals
import SignalsTesting
import Testing

/// What becomes of a failure.
@Suite struct CommandErrorsTests {
  @Test func `errors sends failures as values and never ends because of one`() {
    let recorder = Recorder()
    let command = Command<Int, Int, Trouble> { .fail(Trouble(number: $0)) }
    command.errors.subscribe(
      next: { recorder.note("errors \($0.number)") },
      completed: { recorder.note("errors completed") })
    command.execute(1)
    command.execute(2)
    #expect(recorder.words() == ["errors 1", "errors 2"])
  }

  @Test func `errors hears neither of values nor of completions nor of rejections`() {
    let recorder = Recorder()
    let isValid = Property(true)
    let command = Command<Int, Int, Trouble>(enabled: isValid.signal) { _ in .just(1) }
    recorder.record(command.errors, as: "errors")
    command.execute(1)
    isValid.value = false
    command.execute(2)
    #expect(recorder.lines == [])
  }

  @Test func `an execution signal completes when its work fails`() {
    let recorder = Recorder()
    let work = Subject<Int, Trouble>()
    let command = Command<Int, Int, Trouble> { _ in work.signal }
    command.executionSignals.subscribe(next: { recorder.record($0, as: "execution") })
    command.execute(1)
    work.send(1)
    work.fail(Trouble())
    #expect(recorder.words() == ["execution 1", "execution completed"])
  }

  @Test func `errors of an execution in flight reach who subscribes meanwhile, not who comes late`()
  {
    let recorder = Recorder()
    let work = Subject<Int, MarbleError>()
    let command = Command<Int, Int, MarbleError> { _ in work.signal }
    command.execute(1)
    recorder.record(command.errors, as: "early")
    work.fail(MarbleError())
    recorder.record(command.errors, as: "late")
    #expect(recorder.words() == ["early #"])
  }

  @Test(arguments: [true, false])
  func `executes again from a handler of the end, before enabled tells`(fails: Bool) {
    let recorder = Recorder()
    let works = [Subject<Int, MarbleError>(), Subject<Int, MarbleError>()]
    let command = Command<Int, Int, MarbleError> { works[$0].signal }
    recorder.record(command.enabled.skip(2), as: "enabled")
    let again: @Sendable () -> Void = { [weak command] in
      guard let command else { return }
      recorder.note("enabled is still \(values(of: command.enabled))")
      recorder.record(command.execute(1), as: "second")
    }
    command.execute(0).subscribe(failed: { _ in again() }, completed: again)
    if fails { works[0].fail(MarbleError()) } else { works[0].complete() }
    works[1].send(2)
    #expect(
      recorder.words() == [
        "enabled is still [false]", "enabled true", "enabled false", "second 2",
      ]
    )
  }

  @Test func `executes again from an observer of errors`() {
    let made = Counter()
    let command = Command<Int, Int, Trouble> { attempt in
      made.increment()
      return attempt < 3 ? .fail(Trouble(number: attempt)) : .empty
    }
    command.errors.subscribe(next: { [weak command] in command?.execute($0.number + 1) })
    command.execute(0)
    #expect(made.value == 4)
    #expect(values(of: command.executing) == [false])
  }

  @Test func `executionEvents tells failed from completed`() {
    let recorder = Recorder()
    let command = Command<Int, Int, MarbleError> { input in
      input == 0 ? .fail(MarbleError()) : .just(input)
    }
    command.executionEvents.subscribe(next: { recorder.note($0.name) })
    command.execute(0)
    command.execute(1)
    #expect(recorder.words() == ["started 0", "failed #", "started 1", "next 1", "completed"])
  }
}
