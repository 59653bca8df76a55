import Signals
import Testing

@Suite struct FlatMapTests {
  @Test func `stops a synchronous endless signal when it is over`() {
    let signal = Signal<Int, Never>(Naturals()).flatMap { Signal([$0, -$0]) }.take(4)
    #expect(values(of: signal) == [0, 0, 1, -1])
  }

  @Test func `stops an endless signal that it subscribed when it is over`() {
    let signal = Signal<Int, Never>.just(0).flatMap { _ in Signal(Naturals()) }.take(3)
    #expect(values(of: signal) == [0, 1, 2])
  }

  @Test func `delivers what is sent from within a callback after the current value`() {
    let outer = Subject<Int, Never>()
    let seen = Lock<[Int]>([])
    outer.signal.flatMap { Signal([$0, $0 + 1]) }.subscribe(next: { value in
      if value == 1 { outer.send(10) }
      seen.withLock { $0.append(value) }
    })
    outer.send(1)
    outer.complete()
    #expect(seen.withLock { $0 } == [1, 2, 10, 11])
  }
}
