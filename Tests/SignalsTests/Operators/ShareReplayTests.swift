import Signals
import SignalsTesting
import Testing

@Suite struct ShareReplayTests {
  @Test func `hands the last values to those who come late, and subscribes once`() {
    let subscriptions = Counter()
    let source = Subject<Int, Never>()
    let shared = source.signal.initially { subscriptions.increment() }.share(replay: 2)
    let recorder = Recorder()
    recorder.record(shared, as: "S1")
    for value in 1...3 { source.send(value) }
    recorder.record(shared, as: "S2")
    source.send(4)
    #expect(
      recorder.lines == [
        "0.0 S1 1", "0.0 S1 2", "0.0 S1 3", "0.0 S2 2", "0.0 S2 3", "0.0 S1 4", "0.0 S2 4",
      ]
    )
    #expect(subscriptions.value == 1)
  }

  @Test func `disposes the source when the last has gone, and begins anew after that`() {
    let disposals = Counter()
    let source = Subject<Int, Never>()
    let shared = source.signal.do(disposed: { disposals.increment() }).share(replay: 1)
    let first = shared.subscribe()
    let second = shared.subscribe()
    source.send(1)
    first.dispose()
    #expect(disposals.value == 0)
    second.dispose()
    #expect(disposals.value == 1)
    #expect(values(of: shared) == [])
  }

  @Test func `begins anew after the end`() {
    let attempts = Counter()
    let source = Signal<Int, Never> { observer in
      attempts.increment()
      observer.send(attempts.value)
      observer.complete()
    }
    let shared = source.share(replay: 1)
    #expect(events(of: shared) == [.next(1), .completed])
    #expect(events(of: shared) == [.next(2), .completed])
  }

  @Test
  func `gives two subscribers that retry one new subscription for each failure`() {
    let attempts = Lock<[Subject<Int, Trouble>]>([])
    let source = Signal<Int, Trouble>.deferred {
      let subject = Subject<Int, Trouble>()
      attempts.withLock { $0.append(subject) }
      return subject.signal
    }
    let shared = source.share(replay: 1)
    let recorder = Recorder()
    recorder.record(shared.retry(), as: "S1")
    recorder.record(shared.retry(), as: "S2")
    attempts.withLock { $0.last }?.fail(Trouble())
    #expect(attempts.withLock { $0.count } == 2)
    attempts.withLock { $0.last }?.send(1)
    #expect(recorder.lines == ["0.0 S1 1", "0.0 S2 1"])
    attempts.withLock { $0.last }?.complete()
  }
}
