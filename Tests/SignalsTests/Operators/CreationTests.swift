import Signals
import SignalsTesting
import Testing

@Suite struct CreationTests {
  @Test func `just sends its value and completes`() {
    #expect(events(of: Signal<Int, Never>.just(1)) == [.next(1), .completed])
  }

  @Test func `empty completes, fail fails, never does neither`() {
    #expect(events(of: Signal<Int, Never>.empty) == [.completed])
    #expect(events(of: Signal<Int, Trouble>.fail(Trouble())) == [.failed(Trouble())])
    #expect(events(of: Signal<Int, Never>.never).isEmpty)
  }

  @Test func `a deferred signal is made for each subscription`() {
    let made = Counter()
    let signal = Signal<Int, Never>.deferred {
      made.increment()
      return .just(made.value)
    }
    #expect(made.value == 0)
    #expect(values(of: signal) == [1])
    #expect(values(of: signal) == [2])
  }

  @Test func `a sequence is iterated for each subscription`() {
    let signal = Signal<Int, Never>(1...3)
    #expect(events(of: signal) == [.next(1), .next(2), .next(3), .completed])
    #expect(values(of: signal) == [1, 2, 3])
  }

  @Test func `an endless sequence stops at disposal`() {
    let seen = Counter()
    Signal<Int, Never>(Naturals()).take(while: { $0 < 5 }).subscribe(next: { _ in seen.increment() }
    )
    #expect(seen.value == 5)
  }
}
