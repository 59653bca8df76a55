import Signals
import SignalsTesting
import Testing

@Suite struct AnyAllTests {
  @Test(
    arguments: [
      ["a-1-b|", "--(Y|)"],
      ["a-b|", "---(N|)"],
      ["a#", "-(N|)"],
      ["|", "(N|)"],
    ] as [Marbles]
  )
  func `any says whether a value passes, as soon as it knows`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.any { $0 < "9" }.map { $0 ? "Y" : "N" } }
        == marbles.expected
    )
  }

  @Test(
    arguments: [
      ["1-2|", "---(Y|)"],
      ["1-a-2|", "--(N|)"],
      ["1#", "-(N|)"],
      ["|", "(Y|)"],
    ] as [Marbles]
  )
  func `all says whether all values pass, as soon as it knows`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.all { $0 < "9" }.map { $0 ? "Y" : "N" } }
        == marbles.expected
    )
  }

  @Test func `any without a test asks whether there is a value at all`() {
    #expect(values(of: Signal<Int, Never>(Naturals()).any()) == [true])
    #expect(values(of: Signal<Int, Never>.empty.any()) == [false])
  }
}
