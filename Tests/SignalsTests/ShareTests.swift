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
