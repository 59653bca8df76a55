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

  @Test(
    arguments: [
      // The count, then the time.
      ["ab-c---d----", "-2----1---1"],
      // The end of the first array's time does not end the second one.
      ["ab-c-d-----", "-2---2"],
      ["abc|", "-2-(1|)"],
      ["abc#", "-2-#"],
    ] as [Marbles]
  )
  func `sends what came in three seconds, or two values, together`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, scheduler in
        source.buffer(for: .seconds(3), count: 2, on: scheduler).map(\.count)
      } == marbles.expected
    )
  }

  @Test func `leaves no timer when the count is reached`() {
    let scheduler = TestScheduler()
    let source = Subject<Int, Never>()
    source.signal.buffer(for: .seconds(3), count: 2, on: scheduler).subscribe()
    source.send(1)
    #expect(scheduler.pendingCount == 1)
    source.send(2)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `rejects a count of less than 1`() async {
    await #expect(processExitsWith: .failure) {
      _ = Signal<Int, Never>.empty.buffer(for: .seconds(1), count: 0, on: TestScheduler())
    }
  }
}
