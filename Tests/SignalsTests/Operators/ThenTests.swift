import Signals
import SignalsTesting
import Testing

@Suite struct ThenTests {
  @Test(
    arguments: [
      [
        "ab|",
        "-c|",
        "---c|",
      ],
      [
        "a#",
        "c|",
        "-#",
      ],
    ] as [Marbles]
  )
  func `leaves out the values and goes on with the other signal`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in first.then { second } } == marbles.expected)
  }

  @Test func `makes the other signal only after completion`() {
    let made = Counter()
    let failing = Signal<Int, Trouble>.fail(Trouble())
    let result = failing.then { () -> Signal<String, Trouble> in
      made.increment()
      return .empty
    }
    #expect(events(of: result) == [.failed(Trouble())])
    #expect(made.value == 0)
  }
}
