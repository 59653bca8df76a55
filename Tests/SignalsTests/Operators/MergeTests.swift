import Signals
import Testing

@Suite struct MergeTests {
  @Test func `completes at once when there is nothing to merge`() {
    #expect(events(of: Signal<Int, Never>.merge([])) == [.completed])
  }

  @Test func `subscribes no further signal after a failure`() {
    let subscriptions = Counter()
    let late = Signal<Int, Trouble>.just(1).initially { subscriptions.increment() }
    #expect(events(of: .merge(.fail(Trouble()), late)) == [.failed(Trouble())])
    #expect(subscriptions.value == 0)
  }

  @Test func `sends the values of synchronous signals in their order`() {
    #expect(
      values(of: Signal<Int, Never>.merge(Signal([1, 2]), .just(3), Signal(4...5))) == [
        1, 2, 3, 4, 5,
      ]
    )
  }
}
