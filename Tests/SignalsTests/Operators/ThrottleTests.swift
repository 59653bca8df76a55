import Signals
import SignalsTesting
import Testing

@Suite struct ThrottleTests {
  @Test(
    arguments: [
      [
        "abcde-------f",
        "a--d--e-----f",
      ],
      [
        "a---b---|",
        "a---b---|",
      ],
      // Completion sends what waits.
      [
        "ab|",
        "a-(b|)",
      ],
      // Errors overtake, and drop what waits.
      [
        "ab#",
        "a-#",
      ],
    ] as [Marbles]
  )
  func `sends at most one value in three seconds, and the last of each stretch`(
    _ marbles: Marbles
  ) {
    let scheduler = TestScheduler()
    let calm = scheduler.signal(marbles.source).throttle(for: .seconds(3), on: scheduler)
    #expect(scheduler.diagram(of: calm) == marbles.expected)
  }

  @Test(
    arguments: [
      ["abc----d|", "a------d|"],
      ["ab--cd---|", "a---c----|"],
      ["ab#", "a-#"],
    ] as [Marbles]
  )
  func `leaves out all but the first value of an interval`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, scheduler in
        source.throttle(for: .seconds(3), latest: false, on: scheduler)
      } == marbles.expected
    )
  }
}
