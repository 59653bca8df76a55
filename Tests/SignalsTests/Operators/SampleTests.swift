import Signals
import SignalsTesting
import Testing

@Suite struct SampleTests {
  @Test(
    arguments: [
      [
        "a-b---|",
        "-x-xx--",
        "-a-bb-|",
      ],
      [
        "-a--",
        "x-x|",
        "--a|",
      ],
      [
        "a#",
        "-----",
        "-#",
      ],
    ] as [Marbles]
  )
  func `sends the latest value when the other signal sends`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in first.sample(on: second) } == marbles.expected)
  }
}
