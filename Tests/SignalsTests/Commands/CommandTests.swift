import Signals
import SignalsTesting
import Testing

/// What a command promises to whoever executes it and watches it.
@Suite struct CommandTests {
  @Test func `tells whether it executes and is enabled on subscription, and nothing else`() {
    let recorder = Recorder()
    let command = Command<Int, Int, Trouble> { _ in .never }
    recorder.record(command)
    #expect(recorder.words() == ["executing false", "enabled true"])
    command.execute(1)
    let late = Recorder()
    late.record(command)
    #expect(late.words() == ["executing true", "enabled false"])
  }

  @Test func `executing and enabled send changes only`() {
    let recorder = Recorder()
    let isValid = Property(true)
    let command = Command<Int, Int, Trouble>(enabled: isValid.signal) { _ in .just(1) }
    recorder.record(command.executing, as: "executing")
    recorder.record(command.enabled, as: "enabled")
    for value in [true, false, false, true, true] { isValid.value = value }
    command.execute(1)
    #expect(
      recorder.words() == [
        "executing false", "enabled true", "enabled false", "enabled true",
        "executing true", "enabled false", "executing false", "enabled true",
      ]
    )
  }

  @Test func `is enabled until the signal sends, and at once what it sends on subscription`() {
    let silent = Command<Int, Int, Never>(enabled: .never) { _ in .empty }
    #expect(values(of: silent.enabled) == [true])
    let disabled = Command<Int, Int, Never>(enabled: .just(false)) { _ in .empty }
    #expect(values(of: disabled.enabled) == [false])
  }

  @Test func `with a scheduler too it is enabled at once as the signal says on subscription`() {
    TurnScheduler.test { turns in
      let isValid = Property(false)
      let command = Command<Int, Int, Never>(enabled: isValid.signal, scheduler: turns) { _ in
        .empty
      }
      command.enabled.subscribe(next: { turns.note("enabled \($0)") })
      turns.run()
      isValid.value = true
      turns.run()
      #expect(turns.lines == ["Q0 enabled false", "Q1 enabled true"])
    }
  }

  @Test func `subscribes the signal that enables it once, when it is made`() {
    let subscriptions = Counter()
    let isEnabled = Signal<Bool, Never> { observer in
      subscriptions.increment()
      observer.send(true)
      return nil
    }
    let command = Command<Int, Int, Never>(enabled: isEnabled) { _ in .empty }
    #expect(subscriptions.value == 1)
    command.execute(1)
    command.enabled.subscribe()
    #expect(subscriptions.value == 1)
  }

  @Test func `if enabled completes, its last value stays`() {
    let isEnabled = Subject<Bool, Never>()
    let command = Command<Int, Int, Never>(enabled: isEnabled.signal) { _ in .empty }
    isEnabled.send(false)
    isEnabled.complete()
    #expect(values(of: command.enabled) == [false])
    #expect(events(of: command.execute(1)) == [.failed(.notEnabled(.disabled))])
  }

  /// The type of `enabled` says that it cannot fail; this is how a signal that can is given.
  @Test func `if enabled fails, the command stays disabled`() {
    let recorder = Recorder()
    let isEnabled = Subject<Bool, Trouble>()
    let command = Command<Int, Int, Never>(enabled: isEnabled.signal.catch { _ in .just(false) }) {
      _ in .empty
    }
    recorder.record(command.enabled, as: "enabled")
    isEnabled.send(true)
    isEnabled.fail(Trouble())
    #expect(recorder.words() == ["enabled true", "enabled false"])
    #expect(events(of: command.execute(1)) == [.failed(.notEnabled(.disabled))])
  }

  @Test func `start gives the execution itself, or throws why there is none`() throws {
    let work = Subject<Int, Trouble>()
    let command = Command<Int, Int, Trouble> { _ in work.signal }
    let outcome = try command.start(1)
    #expect(throws: NotEnabledError.executing) { try command.start(2) }
    work.send(3)
    work.fail(Trouble())
    #expect(events(of: outcome) == [.next(3), .failed(Trouble())])
    try command.start(2)
  }

  @Test func `notEnabled says why: disabled by the signal, or executing`() {
    let isValid = Property(false)
    let command = Command<Int, Int, Trouble>(enabled: isValid.signal) { _ in .never }
    #expect(events(of: command.execute(1)) == [.failed(.notEnabled(.disabled))])
    isValid.value = true
    #expect(events(of: command.execute(1)) == [])
    #expect(events(of: command.execute(1)) == [.failed(.notEnabled(.executing))])
    isValid.value = false
    #expect(events(of: command.execute(1)) == [.failed(.notEnabled(.disabled))])
  }

  @Test func `a refused execute is observed nowhere else, and its work is not made`() {
    let recorder = Recorder()
    let made = Counter()
    let command = Command<Int, Int, Trouble>(enabled: .just(false)) { _ in
      made.increment()
      return .just(1)
    }
    recorder.record(command)
    let start = recorder.lines.count
    let refused = command.execute(1)
    for name in ["S1", "S2"] { recorder.record(refused, as: name) }
    #expect(
      recorder.words(from: start) == [
        "S1 failed notEnabled(Signals.NotEnabledError.disabled)",
        "S2 failed notEnabled(Signals.NotEnabledError.disabled)",
      ]
    )
    #expect(made.value == 0)
  }

  @Test(arguments: [0, 1, 3])
  func `subscribing the result any number of times never repeats the work`(count: Int) {
    let runs = Counter()
    let command = Command<Int, Int, Trouble> { _ in
      Signal { observer in
        runs.increment()
        observer.send(1)
        observer.complete()
        return nil
      }
    }
    let result = command.execute(1)
    for _ in 0..<count { #expect(events(of: result) == [.next(1), .completed]) }
    #expect(runs.value == 1)
  }

  @Test func `the result and the execution signal are replayed to late subscribers`() {
    let work = Subject<Int, Trouble>()
    let recorder = Recorder()
    let command = Command<Int, Int, Trouble> { _ in work.signal }
    let executions = ReplaySubject<Signal<Int, Never>, Never>()
    command.executionSignals.subscribe(executions.observer)
    let result = command.execute(1)
    work.send(1)
    recorder.record(result, as: "early")
    work.send(2)
    work.fail(Trouble(number: 5))
    #expect(
      recorder.words() == [
        "early 1", "early 2", "early failed failed(SignalsTests.Trouble(number: 5))",
      ]
    )
    #expect(events(of: result) == [.next(1), .next(2), .failed(.failed(Trouble(number: 5)))])
    #expect(events(of: executions.signal.flatten().take(2)) == [.next(1), .next(2), .completed])
  }

  @Test func `disposing the result never cancels the work`() {
    let work = Subject<Int, Trouble>()
    let disposals = Counter()
    let command = Command<Int, Int, Trouble> { _ in
      work.signal.do(disposed: { disposals.increment() })
    }
    let result = command.execute(1)
    result.subscribe().dispose()
    #expect(disposals.value == 0)
    work.send(1)
    work.complete()
    #expect(events(of: result) == [.next(1), .completed])
    #expect(disposals.value == 1)
  }

  @Test func `work that never completes keeps it executing`() {
    let command = Command<Int, Int, Trouble> { _ in .never }
    command.execute(1)
    for _ in 0..<3 {
      #expect(events(of: command.execute(1)) == [.failed(.notEnabled(.executing))])
    }
    #expect(values(of: command.executing) == [true])
    #expect(values(of: command.enabled) == [false])
  }

  @Test func `sends one execution signal for each start, in the order of execution`() {
    let works = [Subject<Int, Trouble>(), Subject<Int, Trouble>()]
    let recorder = Recorder()
    let command = Command<Int, Int, Trouble>(allowsConcurrentExecution: true) { works[$0].signal }
    recorder.record(command.executionSignals.concat(), as: "S")
    command.execute(0)
    command.execute(1)
    works[1].send(10)
    works[0].send(1)
    works[1].complete()
    works[0].complete()
    #expect(recorder.words() == ["S 1", "S 10"])
  }
}
