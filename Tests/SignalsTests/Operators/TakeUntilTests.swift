import Signals
import SignalsTesting
import Testing

@Suite struct TakeUntilTests {
  @Test(
    arguments: [
      [
        "abcd|",
        "--x",
        "ab|",
      ],
      [
        "ab|",
        "---|",
        "ab|",
      ],
      [
        "abc",
        "-|",
        "a|",
      ],
      [
        "a#",
        "--x",
        "a#",
      ],
    ] as [Marbles]
  )
  func `takes until the other signal sends or completes`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in first.take(until: second) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "abc|",
        "-#",
        "abc|",
      ]
    ] as [Marbles]
  )
  func `does not mind a failure of the other signal, and goes on`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in first.take(until: second) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "abcd|",
        "--x",
        "--cd|",
      ],
      [
        "abc|",
        "-|",
        "-bc|",
      ],
      [
        "ab#",
        "",
        "--#",
      ],
      [
        "abc|",
        "-#",
        "---|",
      ],
    ] as [Marbles]
  )
  func `skips until the other signal sends or completes`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in first.skip(until: second) } == marbles.expected)
  }

  @Test func `takes nothing when the other signal has something at once`() {
    #expect(
      events(of: Signal<Int, Never>.just(1).take(until: Signal<Int, Never>.just(2))) == [.completed]
    )
  }
}
