import Signals
import SignalsTesting
import Testing

@Suite struct RaceTests {
  @Test func `disposes the others as soon as one has sent something`() {
    let disposals = Counter()
    let loser = Signal<Int, Never>.never.do(disposed: { disposals.increment() })
    let winner = Subject<Int, Never>()
    Signal<Int, Never>.race(loser, winner.signal, loser).subscribe()
    #expect(disposals.value == 0)
    winner.send(1)
    #expect(disposals.value == 2)
  }

  @Test func `is silent when the cleanup of a loser disposes the race`() {
    let subscription = SerialDisposable()
    let winner = Subject<Int, Never>()
    let loser = Signal<Int, Never> { _ in AnyDisposable { subscription.dispose() } }
    let calls = Counter()
    subscription.replace(
      with: winner.signal.race(with: loser).subscribe(next: { _ in calls.increment() }))
    winner.send(1)
    #expect(calls.value == 0)
  }

  @Test func `does not subscribe those after a signal that sends at once`() {
    let subscriptions = Counter()
    let late = Signal<Int, Never>.never.initially { subscriptions.increment() }
    let race = Signal<Int, Never>.race(Signal<Int, Never>.just(1).concat(.never), late)
    #expect(values(of: race) == [1])
    #expect(subscriptions.value == 0)
  }

  @Test func `completes at once when nobody runs`() {
    #expect(events(of: Signal<Int, Never>.race([])) == [.completed])
  }

  @Test func `has one winner when two threads send at the same time`() {
    for _ in 0..<200 {
      let runners = [Subject<Int, Never>(), Subject<Int, Never>()]
      let recorder = Recorder()
      recorder.record(Signal.race(runners.map(\.signal)), as: "S")
      inParallel(2) { thread in
        for _ in 0..<3 { runners[thread].send(thread) }
      }
      #expect(recorder.lines.count == 3)
      #expect(Set(recorder.lines).count == 1)
    }
  }
}
