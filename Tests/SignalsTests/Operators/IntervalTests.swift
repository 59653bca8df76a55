import Signals
import SignalsTesting
import Testing

@Suite struct IntervalTests {
  @Test func `ticks after each interval, until it is disposed`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let ticks = Signal.interval(.seconds(1), on: scheduler).mapReplace("tick")
    let subscription = recorder.record(ticks, as: "S")
    scheduler.advance(by: .milliseconds(3500))
    subscription.dispose()
    #expect(recorder.lines == ["1.0 S tick", "2.0 S tick", "3.0 S tick"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `sends the scheduler's time`() {
    let scheduler = TestScheduler()
    scheduler.advance(to: .seconds(7))
    let recorder = Recorder(on: scheduler)
    recorder.record(Signal.interval(.seconds(2), on: scheduler).take(2), as: "S")
    scheduler.run()
    #expect(recorder.lines == ["9.0 S 9.0 seconds", "11.0 S 11.0 seconds", "11.0 S completed"])
  }

  @Test func `a timer that is disposed leaves nothing behind`() {
    let scheduler = TestScheduler()
    Signal.timer(after: .seconds(2), on: scheduler).subscribe().dispose()
    #expect(scheduler.pendingCount == 0)
  }
}
