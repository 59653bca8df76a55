import Signals
import SignalsTesting
import Testing

@Suite struct BufferCountTests {
  @Test(
    arguments: [
      [
        "a-b-cd--",
        "--2--2--",
      ],
      // Completion sends what was collected.
      [
        "abc--|",
        "-2---(1|)",
      ],
      [
        "ab-|",
        "-2-|",
      ],
      // Errors overtake, and drop what was collected.
      [
        "abc-#",
        "-2--#",
      ],
    ] as [Marbles]
  )
  func `sends two values together`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.buffer(count: 2).map(\.count) } == marbles.expected
    )
  }

  @Test func `keeps the order of the values`() {
    #expect(values(of: Signal<Int, Never>([1, 2, 3]).buffer(count: 2)) == [[1, 2], [3]])
  }

  @Test func `rejects a count of less than 1`() async {
    await #expect(processExitsWith: .failure) {
      _ = Signal<Int, Never>.empty.buffer(count: 0)
    }
  }
}
