import Signals
import SignalsTesting
import Testing

/// The promises of operators that make something else of the values of one source.
@Suite struct TransformingTests {
  @Test(arguments: TransformingTests.promises)
  func `each operator sends what the marbles show`(_ row: MarbleCase) { row.verify() }

  @MarbleTable static var promises: [MarbleCase] {
    promise(
      "map sends what the function makes of each value", ["a-b|", "A-B|"], ["a#", "A#"],
      ["-(ab|)", "-(AB|)"]
    ) { source, _, _ in source.map { $0.uppercased() } }
    promise(
      "mapReplace sends the same value in the place of each", ["a-b|", "x-x|"], ["-#", "-#"]
    ) { source, _, _ in source.mapReplace("x") }
    promise("scan sends the running result", ["1-2-3|", "1-3-6|"], ["1#", "1#"]) { source, _, _ in
      source.scan(0) { $0 + (Int($1) ?? 0) }
    }
    promise(
      "reduce sends one result at completion, none at a failure", ["1-2|", "---(3|)"],
      ["|", "(0|)"], ["1#", "-#"]
    ) { source, _, _ in source.reduce(0) { $0 + (Int($1) ?? 0) } }
    promise(
      "combinePrevious sends what the function makes of each value and the one before",
      ["1-3-6|", "1-2-3|"], ["2#", "2#"]
    ) { source, _, _ in source.map { Int($0) ?? 0 }.combinePrevious(0) { $1 - $0 } }
    promise(
      "any says whether a value passes, as soon as it knows", ["a-1-b|", "--(Y|)"],
      ["a-b|", "---(N|)"], ["a#", "-(N|)"], ["|", "(N|)"]
    ) { source, _, _ in source.any { $0 < "9" }.map { $0 ? "Y" : "N" } }
    promise(
      "all says whether all values pass, as soon as it knows", ["1-2|", "---(Y|)"],
      ["1-a-2|", "--(N|)"], ["1#", "-(N|)"], ["|", "(Y|)"]
    ) { source, _, _ in source.all { $0 < "9" }.map { $0 ? "Y" : "N" } }
    promise(
      "buffer(count:) sends two values together",
      ["a-b-cd--", "--2--2--"],
      // Completion sends what was collected.
      ["abc--|", "-2---(1|)"],
      ["ab-|", "-2-|"],
      // Errors overtake, and drop what was collected.
      ["abc-#", "-2--#"]
    ) { source, _, _ in source.buffer(count: 2).map(\.count) }
    promise(
      "window(count:) sends the values of two at a time as they come",
      // Each window ends with its number.
      ["a-b-cd-e|", "a-(b1)-c(d2)-e(3|)"]
    ) { source, _, _ in
      let numbers = Counter()
      return source.window(count: 2).flatMap { window in
        numbers.increment()
        return window.concat(.just("\(numbers.value)"))
      }
    }
    promise("dematerialize undoes materialize", ["a-b|", "a-b|"], ["a-#", "a-#"], ["-a", "-a"]) {
      source, _, _ in source.materialize().dematerialize()
    }
  }

  @Test func `scan(into:) updates the result in place, for each subscription from the beginning`() {
    let running = Signal<Int, Never>([1, 2, 3]).scan(into: [Int]()) { $0.append($1) }
    for _ in 0..<2 { #expect(values(of: running) == [[1], [1, 2], [1, 2, 3]]) }
  }

  @Test func `reduce(into:) begins anew for each subscription`() {
    let signal = Signal<Int, Never>(1...3).reduce(into: 0) { $0 += $1 }
    #expect(values(of: signal) == [6])
    #expect(values(of: signal) == [6])
  }

  @Test func `collect collects all values in one array`() {
    #expect(events(of: Signal<Int, Never>(1...3).collect()) == [.next([1, 2, 3]), .completed])
    #expect(events(of: Signal<Int, Never>.empty.collect()) == [.next([]), .completed])
    #expect(events(of: Signal<Int, Trouble>.fail(Trouble()).collect()) == [.failed(Trouble())])
  }

  @Test func `combinePrevious pairs each value with the one before`() {
    let pairs = values(of: Signal<Int, Never>(1...2).combinePrevious(0))
    #expect(pairs.map { [$0.0, $0.1] } == [[0, 1], [1, 2]])
  }

  @Test func `any without a test asks whether there is a value at all`() {
    #expect(values(of: Signal<Int, Never>(Naturals()).any()) == [true])
    #expect(values(of: Signal<Int, Never>.empty.any()) == [false])
  }

  @Test func `buffer(count:) keeps the order of the values`() {
    #expect(values(of: Signal<Int, Never>([1, 2, 3]).buffer(count: 2)) == [[1, 2], [3]])
  }

  @Test func `buffer(count:) rejects a count of less than 1`() async {
    await #expect(processExitsWith: .failure) {
      _ = Signal<Int, Never>.empty.buffer(count: 0)
    }
  }

  @Test func `materialize sends every event as a value, and completes`() {
    let signal = Signal<Int, Trouble>([1, 2])
    #expect(
      events(of: signal.materialize())
        == [.next(.next(1)), .next(.next(2)), .next(.completed), .completed]
    )
    #expect(
      events(of: Signal<Int, Trouble>.fail(Trouble()).materialize())
        == [.next(.failed(Trouble())), .completed]
    )
  }

  @Test func `dematerialize stops at the first end`() {
    let stream = Signal<Event<Int, Trouble>, Never>([.next(1), .completed, .next(2)])
    #expect(events(of: stream.dematerialize()) == [.next(1), .completed])
  }
}
