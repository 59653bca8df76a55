import Signals
import SignalsTesting
import Testing

@Suite struct SubscribeOnTests {
  @Test func `subscribes when the scheduler's turn comes`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let signal = Signal<Int, Never>.just(1).initially { recorder.note("subscribed") }
    recorder.record(signal.subscribe(on: scheduler), as: "S")
    #expect(recorder.lines.isEmpty)
    scheduler.advance()
    #expect(recorder.lines == ["0.0 subscribed", "0.0 S 1", "0.0 S completed"])
  }

  @Test func `does not subscribe when it is disposed before`() {
    let scheduler = TestScheduler()
    let subscriptions = Counter()
    let signal = Signal<Int, Never>.just(1).initially { subscriptions.increment() }
    signal.subscribe(on: scheduler).subscribe().dispose()
    scheduler.run()
    #expect(subscriptions.value == 0)
  }
}
