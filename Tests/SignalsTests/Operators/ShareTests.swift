import Signals
import SignalsTesting
import Testing

@Suite struct ShareTests {
  @Test func `runs its source once for all who are there, and anew for those who come after`() {
    let source = Subject<Int, Never>()
    let subscriptions = Counter()
    let disposals = Counter()
    let shared = source.signal
      .initially { subscriptions.increment() }
      .do(disposed: { disposals.increment() })
      .share()
    let recorder = Recorder()
    let one = recorder.record(shared, as: "S1")
    let other = recorder.record(shared, as: "S2")
    source.send(1)
    #expect(subscriptions.value == 1)
    one.dispose()
    #expect(disposals.value == 0)
    other.dispose()
    #expect(disposals.value == 1)
    let late = recorder.record(shared, as: "S3")
    source.send(2)
    #expect(subscriptions.value == 2)
    #expect(recorder.lines == ["0.0 S1 1", "0.0 S2 1", "0.0 S3 2"])
    late.dispose()
    #expect(disposals.value == 2)
  }

  @Test func `subscribers that retry share each attempt`() {
    let subscriptions = Counter()
    let attempt = SharedObserver()
    let shared = Signal<Int, Trouble> { observer in
      subscriptions.increment()
      attempt.set(observer)
      return nil
    }
    .share()
    let recorder = Recorder()
    recorder.record(shared.retry(3), as: "S1")
    recorder.record(shared.retry(3), as: "S2")
    for number in 1...4 {
      #expect(subscriptions.value == number)
      attempt.send(number)
      attempt.fail(Trouble(number: number))
    }
    #expect(subscriptions.value == 4)
    #expect(
      recorder.lines == (1...4).flatMap { ["0.0 S1 \($0)", "0.0 S2 \($0)"] }
        + ["0.0 S1 failed Trouble(number: 4)", "0.0 S2 failed Trouble(number: 4)"]
    )
  }

  @Test func `retries without limit end when they are disposed`() {
    let source = SharedObserver()
    let subscriptions = Counter()
    let shared = Signal<Int, Trouble> { observer in
      subscriptions.increment()
      source.set(observer)
      return nil
    }
    .share()
    let both = (0..<2).map { _ in shared.retry().subscribe() }
    for number in 2...10 {
      source.fail(Trouble())
      #expect(subscriptions.value == number)
    }
    for subscription in both { subscription.dispose() }
    source.fail(Trouble())
    #expect(subscriptions.value == 10)
  }

  @Test func `begins anew after the end`() {
    let shared = Signal<Int, Never>([1, 2]).share()
    for _ in 0..<2 {
      #expect(events(of: shared) == [.next(1), .next(2), .completed])
    }
  }

  @Test func `counts subscribers of many threads`() {
    let source = Subject<Int, Never>()
    let subscriptions = Counter()
    let disposals = Counter()
    let shared = source.signal
      .initially { subscriptions.increment() }
      .do(disposed: { disposals.increment() })
      .share()
    inParallel(4) { _ in
      for _ in 0..<250 { shared.subscribe().dispose() }
    }
    #expect(subscriptions.value == disposals.value)
    #expect(subscriptions.value >= 1)
  }
}

/// The observer of the attempt that runs.
private final class SharedObserver: Sendable {
  private let current = Lock<Observer<Int, Trouble>?>(nil)

  func set(_ observer: Observer<Int, Trouble>) {
    current.withLock { $0 = observer }
  }

  func send(_ value: Int) {
    current.withLock { $0 }?.send(value)
  }

  func fail(_ error: Trouble) {
    current.withLock { $0 }?.fail(error)
  }
}
