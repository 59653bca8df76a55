import Signals
import SignalsTesting
import Testing

@Suite struct MaterializeTests {
  @Test func `sends every event as a value, and completes`() {
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

  @Test(arguments: [["a-b|", "a-b|"], ["a-#", "a-#"], ["-a", "-a"]] as [Marbles])
  func `dematerialize undoes it`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.materialize().dematerialize() } == marbles.expected
    )
  }

  @Test func `dematerialize stops at the first end`() {
    let stream = Signal<Event<Int, Trouble>, Never>([.next(1), .completed, .next(2)])
    #expect(events(of: stream.dematerialize()) == [.next(1), .completed])
  }
}
