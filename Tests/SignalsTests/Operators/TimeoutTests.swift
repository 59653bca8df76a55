import Signals
import SignalsTesting
import Testing

@Suite struct TimeoutTests {
  @Test(
    arguments: [
      [
        "a-a-a-|",
        "a-a#",
      ],
      [
        "a|",
        "a|",
      ],
      [
        "a#",
        "a#",
      ],
      [
        "",
        "---#",
      ],
    ] as [Marbles]
  )
  func `fails when it has not ended in time, whatever was sent`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, scheduler in
        source.timeout(after: .seconds(3), on: scheduler, with: MarbleError())
      } == marbles.expected
    )
  }

  @Test func `disposes the source that takes too long, and the timer of one that does not`() {
    let scheduler = TestScheduler()
    let disposals = Counter()
    let slow = Signal<Int, Trouble>.never.do(disposed: { disposals.increment() })
    slow.timeout(after: .seconds(1), on: scheduler, with: Trouble()).subscribe()
    scheduler.run()
    #expect(disposals.value == 1)
    let quick = Signal<Int, Trouble>.just(1)
    quick.timeout(after: .seconds(1), on: scheduler, with: Trouble()).subscribe()
    #expect(scheduler.pendingCount == 0)
  }

  @Test(
    arguments: [
      ["-a--a----|", "-a--a---#"],
      ["-a--a--|", "-a--a--|"],
      ["-----a|", "----#"],
      ["-a-#", "-a-#"],
    ] as [Marbles]
  )
  func `fails four seconds after the last value`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, scheduler in
        source.timeout(between: .seconds(4), on: scheduler, with: MarbleError())
      } == marbles.expected
    )
  }

  @Test func `disposes a source that sends too late, and leaves no timer`() {
    let scheduler = TestScheduler()
    let disposals = Counter()
    let slow = Signal<Int, Never>.never.do(disposed: { disposals.increment() })
    slow.timeout(between: .seconds(4), on: scheduler, with: MarbleError()).subscribe()
    scheduler.advance(by: .seconds(4))
    #expect(disposals.value == 1)
    #expect(scheduler.pendingCount == 0)
  }
}
