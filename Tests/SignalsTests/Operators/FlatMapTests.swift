import Locks
import Signals
import SignalsTesting
import Testing

@Suite struct FlatMapTests {
  @Test(
    arguments: [
      // It completes when all have.
      [
        "a--b|",
        "-a-ab-b|",
      ],
      [
        "ab------|",
        "-abab---|",
      ],
      // The first failure is the end.
      [
        "a-#",
        "-a#",
      ],
    ] as [Marbles]
  )
  func `sends what all signals send, as it comes`(_ marbles: Marbles) {
    let scheduler = TestScheduler()
    let result = scheduler.signal(marbles.source).flatMap { value in
      scheduler.signal("-\(value)-\(value)|")
    }
    #expect(scheduler.diagram(of: result) == marbles.expected)
  }

  @Test func `ends all with the first failure of one of them`() {
    let scheduler = TestScheduler()
    let rows = ["a": "-----x|", "b": "-#"]
    let result = scheduler.signal("a-b--|").flatMap { scheduler.signal(rows[$0] ?? "") }
    #expect(scheduler.diagram(of: result) == "---#")
    #expect(scheduler.pendingCount == 0)
  }

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
