import Signals
import SignalsTesting
import Testing

@Suite struct BufferTests {
  @Test(
    arguments: [
      [
        "ab---c-------",
        "---2----1----",
      ],
      // Completion sends what was collected.
      [
        "ab|",
        "--(2|)",
      ],
      [
        "---|",
        "---|",
      ],
      // Errors overtake, and drop what was collected.
      [
        "ab#",
        "--#",
      ],
    ] as [Marbles]
  )
  func `sends what came in three seconds together`(_ marbles: Marbles) {
    let scheduler = TestScheduler()
    let arrays = scheduler.signal(marbles.source).buffer(for: .seconds(3), on: scheduler)
    #expect(scheduler.diagram(of: arrays.map(\.count)) == marbles.expected)
  }

  @Test func `keeps the order of the values`() {
    let scheduler = TestScheduler()
    let arrays = Signal<Int, Never>([1, 2, 3]).buffer(for: .seconds(3), on: scheduler)
    #expect(values(of: arrays) == [[1, 2, 3]])
  }
}
