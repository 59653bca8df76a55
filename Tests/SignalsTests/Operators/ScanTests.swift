import Signals
import SignalsTesting
import Testing

@Suite struct ScanTests {
  @Test(
    arguments: [
      [
        "1-2-3|",
        "1-3-6|",
      ],
      [
        "1#",
        "1#",
      ],
    ] as [Marbles]
  )
  func `sends the running result`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.scan(0) { $0 + (Int($1) ?? 0) } } == marbles.expected
    )
  }

  @Test func `updates the result in place, for each subscription from the beginning`() {
    let running = Signal<Int, Never>([1, 2, 3]).scan(into: [Int]()) { $0.append($1) }
    for _ in 0..<2 { #expect(values(of: running) == [[1], [1, 2], [1, 2, 3]]) }
  }
}
