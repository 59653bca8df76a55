import Signals
import SignalsTesting
import Testing

@Suite struct BooleanTests {
  @Test func `not sends the opposite`() {
    #expect(values(of: Signal<Bool, Never>([true, false]).not()) == [false, true])
  }

  @Test(arguments: [false, true], [false, true])
  func `and, or compare the latest values of both`(first: Bool, second: Bool) {
    let one = Signal<Bool, Never>.just(first)
    let other = Signal<Bool, Never>.just(second)
    #expect(values(of: one.and(other)) == [first && second])
    #expect(values(of: one.or(other)) == [first || second])
  }
}
