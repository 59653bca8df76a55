import Signals
import SignalsTesting
import Testing

/// The promises of operators that make something else of a failure.
@Suite struct FailingTests {
  @Test(arguments: FailingTests.promises)
  func `each operator sends what the marbles show`(_ row: MarbleCase) { row.verify() }

  @MarbleTable static var promises: [MarbleCase] {
    promise(
      "catch goes on with the other signal after a failure", ["ab#", "ab(xy|)"], ["a|", "a|"],
      ["#", "(xy|)"]
    ) { source, _, _ in source.catch { _ in Signal<String, Never>(["x", "y"]) } }
    promise(
      "replaceError sends a value in the place of a failure, and completes", ["ab-#", "ab-(x|)"],
      ["ab-|", "ab-|"], ["#", "(x|)"]
    ) { source, _, _ in source.replaceError(with: "x") }
    promise("retry subscribes again after a failure", ["a-#", "a-a-a-#"], ["a|", "a|"]) {
      source, _, _ in source.retry(2)
    }
    promise("retry passes the failure on when no attempt is left", ["a#", "a#"]) { source, _, _ in
      source.retry(0)
    }
    promise(
      "retry(delay:) subscribes again some time after a failure", ["a#", "a---a---a#"],
      ["a|", "a|"]
    ) { source, _, scheduler in source.retry(2, delay: .seconds(3), on: scheduler) }
    promise("retry(delay:) asks the schedule before each attempt", ["a#", "a-a--a---a#"]) {
      source, _, scheduler in
      source.retry(3, delay: RetryDelay { attempt in .seconds(attempt) }, on: scheduler)
    }
    promise(
      "retry(when:) subscribes again each time that the handler's signal says so",
      ["a#", "a--a--|"]
    ) { source, _, scheduler in
      source.retry(when: { errors in
        errors.flatMap { _ in Signal.timer(after: .seconds(2), on: scheduler) }.take(2)
      })
    }
  }

  @Test func `catch disposes the failed signal before it goes on`() {
    let seen = Recorder()
    let failing = Signal<Int, Trouble> { observer in
      observer.fail(Trouble())
      return AnyDisposable { seen.note("disposed") }
    }
    // The source ends before it has returned what stops it, so its failure comes first here.
    seen.record(failing.catch { Signal<Int, Never>.just($0.number) }, as: "S")
    #expect(seen.lines == ["0.0 S 0", "0.0 S completed", "0.0 disposed"])
  }

  @Test func `catch fails with the failure of the other signal`() {
    let signal = Signal<Int, Trouble>.fail(Trouble(number: 1))
    #expect(
      events(of: signal.catch { Signal<Int, Trouble>.fail(Trouble(number: $0.number + 1)) })
        == [.failed(Trouble(number: 2))]
    )
  }

  @Test func `catch stands in the middle of a chain without a type`() {
    let failing = Signal<Int, Trouble>.fail(Trouble(number: 1))
    let replaced: Signal<String, Never> = failing.catch { _ in .just(0) }.map { "\($0)" }
    #expect(events(of: replaced) == [.next("0"), .completed])
    #expect(events(of: failing.catch { _ in .empty }.map { $0 + 1 }) == [.completed])
    let failingAgain = failing.catch { .fail($0) }.map { $0 + 1 }
    #expect(events(of: failingAgain) == [.failed(Trouble(number: 1))])
    let promoted: Signal<Int, Trouble> = failing.catch { _ in .just(0) }
    #expect(events(of: promoted) == [.next(0), .completed])
  }

  @Test func `retry fails 10,000 times synchronously without growing the stack`() {
    let attempts = Counter()
    let failing = Signal<Int, Trouble>.fail(Trouble()).initially { attempts.increment() }
    #expect(events(of: failing.retry(9_999)) == [.failed(Trouble())])
    #expect(attempts.value == 10_000)
  }

  @Test func `retry disposes each attempt before the next`() {
    let recorder = Recorder()
    let subject = Lock<Subject<Int, Trouble>?>(nil)
    let signal = Signal<Int, Trouble>.deferred {
      recorder.note("subscribed")
      let fresh = Subject<Int, Trouble>()
      subject.withLock { $0 = fresh }
      return fresh.signal.do(disposed: { recorder.note("disposed") })
    }
    let subscription = signal.retry().subscribe()
    subject.withLock { $0 }?.fail(Trouble())
    subscription.dispose()
    #expect(recorder.lines == ["0.0 subscribed", "0.0 disposed", "0.0 subscribed", "0.0 disposed"])
  }
}
