import Signals
import Testing

@Suite struct TryMapTests {
  @Test func `sends what the function returns, and fails with what it throws`() {
    let disposals = Counter()
    let signal = Signal<Int, Trouble>([1, 2, 3])
      .do(disposed: { disposals.increment() })
      .tryMap { value throws(Trouble) in
        if value == 3 { throw Trouble(number: value) }
        return 10 * value
      }
    #expect(events(of: signal) == [.next(10), .next(20), .failed(Trouble(number: 3))])
    #expect(disposals.value == 1)
  }

  @Test func `sends nothing after the function has thrown`() {
    let subject = Subject<Int, Trouble>()
    let calls = Counter()
    subject.signal
      .tryMap { _ throws(Trouble) -> Int in
        calls.increment()
        throw Trouble()
      }
      .subscribe()
    subject.send(1)
    subject.send(2)
    #expect(calls.value == 1)
  }
}
