import Signals
import SignalsTesting
import Testing

/// The timelines of article 002 on everyday use, event for event.
@Suite struct Article002TimelinesTests {
  private let scheduler = TestScheduler()
  private let recorder: Recorder

  init() {
    recorder = Recorder(on: scheduler)
  }

  @Test(arguments: [true, false])
  func `T10, a created signal sends, completes, and is disposed`(isSynchronous: Bool) {
    let signal = Signal<Int, Never> { [recorder, scheduler] observer in
      let send: @Sendable () -> Void = {
        observer.send(1)
        observer.complete()
      }
      if isSynchronous { send() } else { scheduler.schedule(send) }
      return AnyDisposable { recorder.note("disposed") }
    }
    recorder.record(signal, as: "S")
    scheduler.run()
    #expect(recorder.lines == ["0.0 S 1", "0.0 S completed", "0.0 disposed"])
  }

  @Test func `T11, a delay of two seconds calls once, an interval of one calls each second`() {
    scheduler.schedule(after: .seconds(2)) { [recorder] in recorder.note("called") }
    let ticks = Signal.interval(.seconds(1), on: scheduler).mapReplace("tick")
    let subscription = recorder.record(ticks, as: "S")
    scheduler.advance(to: .milliseconds(3_500))
    subscription.dispose()
    #expect(recorder.lines == ["1.0 S tick", "2.0 called", "2.0 S tick", "3.0 S tick"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `T15, combineLatest puts the latest values together and stays open`() {
    let first = Subject<Int, Never>()
    let second = Subject<Int, Never>()
    recorder.record(combineLatest(first.signal, second.signal), as: "pair")
    recorder.record(combineLatest(first.signal, second.signal) { "\($0) \($1)" }, as: "text")
    first.send(1)
    second.send(2)
    #expect(recorder.lines == ["0.0 pair (1, 2)", "0.0 text 1 2"])
  }
}
