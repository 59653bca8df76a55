import Signals
import SignalsTesting
import Testing

@Suite struct DistinctUntilChangedTests {
  @Test(
    arguments: [
      [
        "aab-ba|",
        "a-b--a|",
      ],
      [
        "a#",
        "a#",
      ],
    ] as [Marbles]
  )
  func `leaves out what equals the value before`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.distinctUntilChanged() } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "1a2b|",
        "1a2b|",
      ]
    ] as [Marbles]
  )
  func `compares with the value sent last`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.distinctUntilChanged { $0 == $1 } } == marbles.expected
    )
  }

  @Test func `compares keys, each computed once`() {
    let computed = Counter()
    let lengths = Signal<String, Never>(["a", "b", "cc", "dd", "e"]).distinctUntilChanged(by: {
      computed.increment()
      return $0.count
    })
    #expect(values(of: lengths) == ["a", "cc", "e"])
    #expect(computed.value == 5)
    #expect(
      values(of: Signal<String, Never>(["a", "b"]).distinctUntilChanged(by: \.count)) == ["a"]
    )
  }
}
