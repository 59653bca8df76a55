import Signals
import SignalsTesting
import Testing

@Suite struct MergeTests {
  @Test(
    arguments: [
      [
        "a--c|",
        "-b--d|",
        "ab-cd|",
      ],
      [
        "a-",
        "b|",
        "(ab)",
      ],
      [
        "a|",
        "|",
        "a|",
      ],
    ] as [Marbles]
  )
  func `sends what all send, as it comes`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in .merge(first, second) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "a--#",
        "-b--d",
        "ab-#",
      ],
      [
        "#",
        "a",
        "#",
      ],
    ] as [Marbles]
  )
  func `ends with the first failure`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in first.merge(with: second) } == marbles.expected)
  }

  @Test func `completes at once when there is nothing to merge`() {
    #expect(events(of: Signal<Int, Never>.merge([])) == [.completed])
  }

  @Test func `subscribes no further signal after a failure`() {
    let subscriptions = Counter()
    let late = Signal<Int, Trouble>.just(1).initially { subscriptions.increment() }
    #expect(events(of: .merge(.fail(Trouble()), late)) == [.failed(Trouble())])
    #expect(subscriptions.value == 0)
  }

  @Test func `sends the values of synchronous signals in their order`() {
    #expect(
      values(of: Signal<Int, Never>.merge(Signal([1, 2]), .just(3), Signal(4...5))) == [
        1, 2, 3, 4, 5,
      ]
    )
  }
}
