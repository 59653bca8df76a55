import Signals
import SignalsTesting
import Testing

@Suite struct IgnoreValuesTests {
  @Test(
    arguments: [
      [
        "ab|",
        "--|",
      ],
      [
        "a#",
        "-#",
      ],
      [
        "a",
        "",
      ],
    ] as [Marbles]
  )
  func `sends the end only`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.ignoreValues(as: Int.self) } == marbles.expected)
  }
}
