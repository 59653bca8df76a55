import Signals
import SignalsTesting
import Testing

@Suite struct CombinePreviousTests {
  @Test(
    arguments: [
      [
        "1-3-6|",
        "1-2-3|",
      ],
      [
        "2#",
        "2#",
      ],
    ] as [Marbles]
  )
  func `sends what the function makes of each value and the one before`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.map { Int($0) ?? 0 }.combinePrevious(0) { $1 - $0 } }
        == marbles.expected
    )
  }

  @Test func `pairs each value with the one before`() {
    let pairs = values(of: Signal<Int, Never>(1...2).combinePrevious(0))
    #expect(pairs.map { [$0.0, $0.1] } == [[0, 1], [1, 2]])
  }
}
