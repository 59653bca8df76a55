import Signals
import SignalsTesting
import Testing

/// The promises of operators that make one signal of several that run together.
///
/// Longer rows stand one below the other: a column shows what happens at the same time.
@Suite struct CombiningTests {
  @Test(arguments: CombiningTests.promises)
  func `each operator sends what the marbles show`(_ row: MarbleCase) { row.verify() }

  @MarbleTable static var promises: [MarbleCase] {
    promise(
      "combineLatest sends the latest of both whenever one changes",
      [
        "a--b---|",
        "-1--2-|",
        "-X-XX--|",
      ]
    ) { source, other, _ in combineLatest(source, other) { _, _ in "X" } }
    promise(
      "combineLatest ends with the first failure", ["a--#", "-1--", "-X-#"], ["a", "-#", "-#"]
    ) { source, other, _ in combineLatest(source, other) { _, _ in "X" } }
    promise(
      "combineLatest of an array sends the latest values when all have sent one",
      [
        "a---b---|",
        "-c----d-|",
        "--e-------|",
        "--3-3-3---|",
      ],
      [
        "a--#",
        "a----|",
        "-a---|",
        "-3-#",
      ],
      ["a|", "-|", "a--|", "---|"]
    ) { sources, _ in combineLatest(sources).map(\.count) }
    promise(
      "withLatest(from:) sends each value with the latest one of the other signal",
      // Values before the other's first are left out; the other alone sends nothing.
      [
        "a-b--c-|",
        "-x-y----",
        "--x--y-|",
      ],
      // The last value stays when the other completes.
      [
        "-b--c-|",
        "x-|",
        "-x--x-|",
      ],
      [
        "-b-----",
        "x--#",
        "-x-#",
      ],
      ["-b-#", "x---", "-x-#"]
    ) { source, other, _ in source.withLatest(from: other) { $1 } }
    promise(
      "sample sends the latest value when the other signal sends",
      [
        "a-b---|",
        "-x-xx--",
        "-a-bb-|",
      ],
      ["-a--", "x-x|", "--a|"],
      [
        "a#",
        "-----",
        "-#",
      ]
    ) { source, other, _ in source.sample(on: other) }
    promise(
      "zip pairs values by their place, and completes when no pair can follow",
      [
        "a-b|",
        "-1---2|",
        "-X---(X|)",
      ],
      ["abc-", "1|", "X|"],
      ["|", "-", "|"],
      ["a-#", "1-", "X-#"]
    ) { source, other, _ in zip(source, other) { _, _ in "X" } }
    promise(
      "zip of an array sends the first values together, then the second ones",
      [
        "ab---c|",
        "-a-b---c|",
        "-3-3---(3|)",
      ],
      // It completes as soon as no partner can come any more.
      [
        "a|",
        "-a--b|",
        "-(3|)",
      ],
      [
        "a-#",
        "-a----",
        "-3#",
      ]
    ) { sources, scheduler in zip(sources + [scheduler.signal("(abcdef)")]).map(\.count) }
    promise(
      "merge sends what all send, as it comes",
      [
        "a--c|",
        "-b--d|",
        "ab-cd|",
      ],
      ["a-", "b|", "(ab)"],
      ["a|", "|", "a|"]
    ) { source, other, _ in Signal.merge(source, other) }
    promise(
      "merge(with:) ends with the first failure",
      [
        "a--#",
        "-b--d",
        "ab-#",
      ],
      ["#", "a", "#"]
    ) { source, other, _ in source.merge(with: other) }
    promise(
      "race sends what the first signal to send something sends",
      [
        "--a-b-|",
        "-c---d|",
        "-c---d|",
      ],
      // An end counts, too.
      [
        "--a-b-|",
        "-|",
        "-|",
      ],
      ["-#", "--a|", "-#"],
      // Of two in the same second, the one that was subscribed first.
      ["-a-|", "-b-|", "-a-|"]
    ) { source, other, _ in source.race(with: other) }
  }

  @Test func `withLatest(from:) finds the current value of a property, and sends pairs`() {
    let property = Property(10)
    let source = Signal<Int, Trouble>([1, 2])
    let pairs = source.withLatest(from: property.signal)
    #expect(values(of: pairs.map { $0 + $1 }) == [11, 12])
    #expect(values(of: source.withLatest(from: source).map { "\($0)\($1)" }) == ["12", "22"])
  }

  @Test func `zip of an array keeps the order of the signals`() {
    let arrays = zip([Signal<Int, Never>([1, 2, 3]), Signal([4, 5])])
    #expect(events(of: arrays) == [.next([1, 4]), .next([2, 5]), .completed])
  }

  @Test func `zip of an array completes at once when there is no signal`() {
    #expect(events(of: zip([Signal<Int, Never>]())) == [.completed])
  }

  @Test func `zip pairs the first with the first, the second with the second`() {
    let pairs = values(of: zip(Signal<Int, Never>(1...3), Signal(["a", "b"])))
    #expect(pairs.map { "\($0.0)\($0.1)" } == ["1a", "2b"])
  }

  @Test func `zip zips any number of signals of any types`() {
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
