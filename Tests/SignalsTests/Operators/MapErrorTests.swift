import Signals
import SignalsTesting
import Testing

@Suite struct MapErrorTests {
  @Test func `fails with what the function makes of the error`() {
    let signal = Signal<Int, MarbleError>.fail(MarbleError()).startWith(1)
    #expect(
      events(of: signal.mapError { _ in Trouble(number: 7) })
        == [.next(1), .failed(Trouble(number: 7))]
    )
  }

  @Test func `promotes a signal that cannot fail to one that can`() {
    let failing = Signal<Int, Trouble>.fail(Trouble())
    let signal = Signal<Int, Never>.just(1)
    #expect(
      events(of: signal.promoteError().merge(with: failing)) == [.next(1), .failed(Trouble())])
    #expect(events(of: signal.promoteError(to: Trouble.self)) == [.next(1), .completed])
  }
}
