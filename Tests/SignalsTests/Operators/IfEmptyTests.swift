import Signals
import SignalsTesting
import Testing

@Suite struct IfEmptyTests {
  @Test(
    arguments: [
      ["--|", "--(x|)"],
      ["a-|", "a-|"],
      ["--#", "--#"],
      ["a-#", "a-#"],
    ] as [Marbles]
  )
  func `sends a value in the place of none`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.ifEmpty(send: "x") } == marbles.expected)
  }

  @Test(
    arguments: [
      ["--|", "xy|", "--xy|"],
      ["a-|", "xy|", "a-|"],
      ["--#", "xy|", "--#"],
      ["--|", "-#", "---#"],
    ] as [Marbles]
  )
  func `continues with another signal in the place of none`(_ marbles: Marbles) {
    #expect(marbles.joint { $0.ifEmpty(continueWith: $1) } == marbles.expected)
  }

  @Test func `a signal may continue itself this way without growing the stack`() {
    onSmallStack {
      @Sendable func next(_ left: Int) -> Signal<Int, Never> {
        left == 0 ? .just(0) : Signal.empty.ifEmpty(continueWith: .deferred { next(left - 1) })
      }
      #expect(values(of: next(manyRounds)) == [0])
    }
  }
}
