import Signals
import SignalsTesting
import Testing

@Suite struct TestSchedulerTests {
  @Test func `runs what is due in the order of time, then in that of scheduling`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    scheduler.schedule(after: .seconds(2)) { recorder.note("late") }
    scheduler.schedule(after: .seconds(1)) { recorder.note("first") }
    scheduler.schedule(after: .seconds(1)) { recorder.note("second") }
    scheduler.schedule { recorder.note("now") }
    scheduler.run()
    #expect(recorder.lines == ["0.0 now", "1.0 first", "1.0 second", "2.0 late"])
  }

  @Test func `runs nothing before its time`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    scheduler.schedule(after: .seconds(2)) { recorder.note("ran") }
    scheduler.advance(by: .milliseconds(1999))
    #expect(recorder.lines.isEmpty)
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .milliseconds(1))
    #expect(recorder.lines == ["2.0 ran"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `leaves out what was disposed`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let work = scheduler.schedule(after: .seconds(1)) { recorder.note("ran") }
    work.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.run()
    #expect(recorder.lines.isEmpty)
    #expect(scheduler.now == .zero)
  }

  @Test func `runs work that was scheduled by work, in the same go`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    scheduler.schedule(after: .seconds(1)) {
      scheduler.schedule(after: .milliseconds(250)) { recorder.note("inner") }
      recorder.note("outer")
    }
    scheduler.advance(to: .seconds(3))
    #expect(recorder.lines == ["1.0 outer", "1.25 inner"])
    #expect(scheduler.now == .seconds(3))
  }

  @Test func `repeats until it is told to stop`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let work = scheduler.schedule(after: .seconds(1), repeating: .seconds(2)) {
      recorder.note("tick")
    }
    scheduler.advance(by: .seconds(5))
    work.dispose()
    scheduler.run()
    #expect(recorder.lines == ["1.0 tick", "3.0 tick", "5.0 tick"])
  }
}
