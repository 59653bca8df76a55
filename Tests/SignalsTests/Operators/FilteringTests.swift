import Signals
import SignalsTesting
import Testing

/// The promises of operators that leave out values, or end their source.
@Suite struct FilteringTests {
  @Test(arguments: FilteringTests.promises)
  func `each operator sends what the marbles show`(_ row: MarbleCase) { row.verify() }

  @MarbleTable static var promises: [MarbleCase] {
    promise(
      "filter sends only the values that pass", ["a1b2|", "a-b-|"], ["-1-#", "---#"], ["ab-", "ab"]
    ) { source, _, _ in source.filter { $0 > "9" } }
    promise("compactMap leaves out what has no result", ["1a2|", "2-3|"], ["a#", "-#"]) {
      source, _, _ in source.compactMap { Int($0).map { $0 + 1 } }
    }
    promise(
      "distinctUntilChanged leaves out what equals the value before", ["aab-ba|", "a-b--a|"],
      ["a#", "a#"]
    ) { source, _, _ in source.distinctUntilChanged() }
    promise("distinctUntilChanged(by:) compares with the value sent last", ["1a2b|", "1a2b|"]) {
      source, _, _ in source.distinctUntilChanged { $0 == $1 }
    }
    promise("ignoreValues sends the end only", ["ab|", "--|"], ["a#", "-#"], ["a", ""]) {
      source, _, _ in source.ignoreValues(as: Int.self)
    }
    promise("skip leaves out the first values", ["abc|", "--c|"], ["a|", "-|"], ["a#", "-#"]) {
      source, _, _ in source.skip(2)
    }
    promise("skip sends everything when there is nothing to leave out", ["ab|", "ab|"]) {
      source, _, _ in source.skip(0)
    }
    promise(
      "skip(while:) leaves out values until one does not pass", ["12a3|", "--a3|"], ["1#", "-#"]
    ) { source, _, _ in source.skip(while: { $0 < "9" }) }
    promise(
      "skip(until:) skips until the other signal sends or completes", ["abcd|", "--x", "--cd|"],
      ["abc|", "-|", "-bc|"], ["ab#", "", "--#"], ["abc|", "-#", "---|"]
    ) { source, other, _ in source.skip(until: other) }
    promise(
      "take completes with the last value that it takes", ["abc|", "a(b|)"], ["a|", "a|"],
      ["a#", "a#"]
    ) { source, _, _ in source.take(2) }
    promise(
      "take(while:) completes at the first value that does not pass", ["12a3|", "12|"],
      ["1#", "1#"]
    ) { source, _, _ in source.take(while: { $0 < "9" }) }
    promise(
      "take(until:) takes until the other signal sends or completes", ["abcd|", "--x", "ab|"],
      ["ab|", "---|", "ab|"], ["abc", "-|", "a|"], ["a#", "--x", "a#"]
    ) { source, other, _ in source.take(until: other) }
    promise(
      "take(until:) does not mind a failure of the other signal, and goes on",
      ["abc|", "-#", "abc|"]
    ) { source, other, _ in source.take(until: other) }
    promise(
      "first(where:) sends the first value that passes a test", ["a-b-c|", "--(b|)"],
      ["a-a-|", "----|"], ["a-#", "--#"]
    ) { source, _, _ in source.first(where: { $0 > "a" }) }
    promise(
      "takeLast sends the last values at completion, none at a failure", ["abc|", "---(bc|)"],
      ["a|", "-(a|)"], ["ab#", "--#"]
    ) { source, _, _ in source.takeLast(2) }
    promise("takeLast sends only the end when it takes none", ["ab|", "--|"]) { source, _, _ in
      source.takeLast(0)
    }
  }

  @Test func `distinctUntilChanged(by:) compares keys, each computed once`() {
    let computed = Counter()
    let lengths = Signal<String, Never>(["a", "b", "cc", "dd", "e"]).distinctUntilChanged(by: {
      computed.increment()
      return $0.count
    })
    #expect(values(of: lengths) == ["a", "cc", "e"])
    #expect(computed.value == 5)
    #expect(
      values(of: Signal<String, Never>(["a", "b"]).distinctUntilChanged(by: \.count)) == ["a"])
  }

  @Test func `take(until:) takes nothing when the other signal has something at once`() {
    #expect(
      events(of: Signal<Int, Never>.just(1).take(until: Signal<Int, Never>.just(2))) == [.completed]
    )
  }
}
