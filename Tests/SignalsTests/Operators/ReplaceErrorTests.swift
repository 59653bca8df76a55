import Signals
import SignalsTesting
import Testing

@Suite struct ReplaceErrorTests {
  @Test(
    arguments: [
      [
        "ab-#",
        "ab-(x|)",
      ],
      [
        "ab-|",
        "ab-|",
      ],
      [
        "#",
        "(x|)",
      ],
    ] as [Marbles]
  )
  func `sends a value in the place of a failure, and completes`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.replaceError(with: "x") } == marbles.expected
    )
  }
}
