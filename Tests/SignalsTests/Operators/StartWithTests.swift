import Signals
import SignalsTesting
import Testing

@Suite struct StartWithTests {
  @Test(
    arguments: [
      [
        "-a|",
        "(xy)a|",
      ],
      [
        "#",
        "(xy#)",
      ],
    ] as [Marbles]
  )
  func `sends its values before it subscribes`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.startWith("x", "y") } == marbles.expected)
  }

  @Test func `does not subscribe when it is over before`() {
    let subscriptions = Counter()
    let signal = Signal<Int, Never>.never.initially { subscriptions.increment() }
    #expect(events(of: signal.startWith(1).take(1)) == [.next(1), .completed])
    #expect(subscriptions.value == 0)
  }
}
