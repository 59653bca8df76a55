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
}
