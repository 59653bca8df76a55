import Signals
import SignalsTesting
import Testing

@Suite struct MapTests {
  @Test(
    arguments: [
      [
        "a-b|",
        "A-B|",
      ],
      [
        "a#",
        "A#",
      ],
      [
        "-(ab|)",
        "-(AB|)",
      ],
    ] as [Marbles]
  )
  func `sends what the function makes of each value`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.map { $0.uppercased() } } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "a-b|",
        "x-x|",
      ],
      [
        "-#",
        "-#",
      ],
    ] as [Marbles]
  )
  func `sends the same value in the place of each`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.mapReplace("x") } == marbles.expected)
  }
}
