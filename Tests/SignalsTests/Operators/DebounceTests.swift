import Signals
import SignalsTesting
import Testing

@Suite struct DebounceTests {
  @Test(
    arguments: [
      [
        "ab---c---|",
        "----b---c|",
      ],
      [
        "a-b-c----d",
        "-------c----d",
      ],
      // Completion sends what waits.
      [
        "a-b|",
        "---(b|)",
      ],
      // Errors overtake, and drop what waits.
      [
        "a#",
        "-#",
      ],
    ] as [Marbles]
  )
  func `sends a value once its source has been quiet for three seconds`(_ marbles: Marbles) {
    let scheduler = TestScheduler()
    let quiet = scheduler.signal(marbles.source).debounce(for: .seconds(3), on: scheduler)
    #expect(scheduler.diagram(of: quiet) == marbles.expected)
  }

  @Test func `leaves nothing scheduled after the end`() {
    let scheduler = TestScheduler()
    Signal<Int, Never>.just(1).debounce(for: .seconds(3), on: scheduler).subscribe()
    #expect(scheduler.pendingCount == 0)
  }
}
