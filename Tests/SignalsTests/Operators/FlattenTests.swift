import Signals
import SignalsTesting
import Testing

@Suite struct FlattenTests {
  @Test func `goes through 10,000 synchronous signals that waited without growing the stack`() {
    let first = Subject<Int, Never>()
    let signals = Signal<Signal<Int, Never>, Never>((0..<10_000).map { .just($0) })
    let sums = Recorder()
    sums.record(signals.startWith(first.signal).flatten(maxConcurrent: 1).reduce(0, +), as: "S")
    first.complete()
    #expect(sums.lines == ["0.0 S 49995000", "0.0 S completed"])
  }

  @Test func `must be able to subscribe one signal at least`() async {
    await #expect(processExitsWith: .failure) {
      _ = Signal<Signal<Int, Never>, Never>.never.flatten(maxConcurrent: 0)
    }
  }

  @Test func `subscribes no waiting signal after a failure`() {
    let subscriptions = Counter()
    let waiting = Signal<Int, Trouble>.never.initially { subscriptions.increment() }
    let signals = Signal<Signal<Int, Trouble>, Trouble>([.fail(Trouble()), waiting])
    #expect(events(of: signals.flatten(maxConcurrent: 1)) == [.failed(Trouble())])
    #expect(subscriptions.value == 0)
  }
}
