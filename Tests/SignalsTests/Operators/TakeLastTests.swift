import Signals
import SignalsTesting
import Testing

@Suite struct TakeLastTests {
  @Test(
    arguments: [
      [
        "abc|",
        "---(bc|)",
      ],
      [
        "a|",
        "-(a|)",
      ],
      [
        "ab#",
        "--#",
      ],
    ] as [Marbles]
  )
  func `sends the last values at completion, none at a failure`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.takeLast(2) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "ab|",
        "--|",
      ]
    ] as [Marbles]
  )
  func `sends only the end when it takes none`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.takeLast(0) } == marbles.expected)
  }
}
