import Signals
import SignalsTesting
import Testing

@Suite struct ZipTests {
  @Test(
    arguments: [
      [
        "a-b|",
        "-1---2|",
        "-X---(X|)",
      ],
      [
        "abc-",
        "1|",
        "X|",
      ],
      [
        "|",
        "-",
        "|",
      ],
      [
        "a-#",
        "1-",
        "X-#",
      ],
    ] as [Marbles]
  )
  func `pairs values by their place, and completes when no pair can follow`(_ marbles: Marbles) {
    #expect(
      marbles.joint { first, second in zip(first, second) { _, _ in "X" } } == marbles.expected
    )
  }

  @Test func `pairs the first with the first, the second with the second`() {
    let pairs = values(of: zip(Signal<Int, Never>(1...3), Signal(["a", "b"])))
    #expect(pairs.map { "\($0.0)\($0.1)" } == ["1a", "2b"])
  }

  @Test func `zips any number of signals of any types`() {
    let numbers = Signal<Int, Trouble>(1...3)
    let texts = Signal<String, Trouble>(["a", "b"])
    let truths = Signal<Bool, Trouble>([true, false, true])
    let three = zip(numbers, texts, truths) { "\($0)\($1)\($2)" }
    #expect(events(of: three) == [.next("1atrue"), .next("2bfalse"), .completed])
    let four = values(of: zip(numbers, texts, truths, numbers))
    #expect(four.map { "\($0.0)\($0.1)\($0.2)\($0.3)" } == ["1atrue1", "2bfalse2"])
    #expect(
      events(of: zip(numbers, texts, Signal<Int, Trouble>.fail(Trouble())) { a, _, b in a + b })
        == [.failed(Trouble())]
    )
  }
}
