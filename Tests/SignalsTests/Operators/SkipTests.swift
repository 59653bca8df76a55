import Signals
import SignalsTesting
import Testing

@Suite struct SkipTests {
  @Test(
    arguments: [
      [
        "abc|",
        "--c|",
      ],
      [
        "a|",
        "-|",
      ],
      [
        "a#",
        "-#",
      ],
    ] as [Marbles]
  )
  func `leaves out the first values`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.skip(2) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "ab|",
        "ab|",
      ]
    ] as [Marbles]
  )
  func `sends everything when there is none to leave out`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.skip(0) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "12a3|",
        "--a3|",
      ],
      [
        "1#",
        "-#",
      ],
    ] as [Marbles]
  )
  func `leaves out values until one does not pass`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.skip(while: { $0 < "9" }) } == marbles.expected)
  }
}
