import Signals
import SignalsTesting
import Testing

@Suite struct CompactMapTests {
  @Test(
    arguments: [
      [
        "1a2|",
        "2-3|",
      ],
      [
        "a#",
        "-#",
      ],
    ] as [Marbles]
  )
  func `leaves out what has no result`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.compactMap { Int($0).map { $0 + 1 } } }
        == marbles.expected
    )
  }
}
