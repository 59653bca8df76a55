import Signals
import SignalsTesting
import Testing

@Suite struct DelayTests {
  @Test(
    arguments: [
      [
        "ab-c|",
        "--ab-c|",
      ],
      [
        "|",
        "--|",
      ],
    ] as [Marbles]
  )
  func `sends values and completion later`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, scheduler in source.delay(.seconds(2), on: scheduler) }
        == marbles.expected
    )
  }

  @Test(
    arguments: [
      [
        "ab#",
        "--#",
      ],
      [
        "a--b#",
        "--a-#",
      ],
    ] as [Marbles]
  )
  func `errors overtake, and drop what waits`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, scheduler in source.delay(.seconds(2), on: scheduler) }
        == marbles.expected
    )
  }

  @Test func `keeps nothing scheduled after disposal`() {
    let scheduler = TestScheduler()
    let signal = Signal<Int, Never>([1, 2]).delay(.seconds(1), on: scheduler)
    let subscription = signal.subscribe()
    #expect(scheduler.pendingCount == 3)
    subscription.dispose()
    #expect(scheduler.pendingCount == 0)
  }
}
