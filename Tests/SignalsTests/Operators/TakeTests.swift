import Signals
import SignalsTesting
import Testing

@Suite struct TakeTests {
  @Test func `does not subscribe to take nothing`() {
    let subscriptions = Counter()
    let signal = Signal<Int, Never>.just(1).initially { subscriptions.increment() }
    #expect(events(of: signal.take(0)) == [.completed])
    #expect(subscriptions.value == 0)
  }

  @Test func `stops a synchronous endless signal`() {
    #expect(values(of: Signal<Int, Never>(Naturals()).take(3)) == [0, 1, 2])
  }

  @Test func `stops it also when the end is delivered later`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    recorder.record(Signal<Int, Never>(Naturals()).take(2).deliver(on: scheduler), as: "S")
    scheduler.run()
    #expect(recorder.lines == ["0.0 S 0", "0.0 S 1", "0.0 S completed"])
  }

  @Test func `takes no more when the last value sends another one`() {
    let subject = Subject<Int, Never>()
    let seen = Counter()
    subject.signal.take(1).subscribe(next: { _ in
      seen.increment()
      subject.send(2)
    })
    subject.send(1)
    #expect(seen.value == 1)
  }
}
