import Signals
import SignalsTesting
import Testing

@Suite struct FilterTests {
  @Test(
    arguments: [
      [
        "a1b2|",
        "a-b-|",
      ],
      [
        "-1-#",
        "---#",
      ],
      [
        "ab-",
        "ab",
      ],
    ] as [Marbles]
  )
  func `sends only the values that pass`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.filter { $0 > "9" } } == marbles.expected)
  }
}
