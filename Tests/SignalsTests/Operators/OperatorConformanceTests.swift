import Signals
import SignalsTesting
import Testing

/// What every operator promises, whatever else it does.
@Suite struct OperatorConformanceTests {
  @Test(arguments: OperatorCase.all.filter(\.forwardsFailure))
  func `forwards a failure`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let source = Subject<Number, Trouble>()
    recorder.record(operation.apply(source.signal, scheduler), as: "S")
    source.send(1)
    source.fail(Trouble(number: 1))
    scheduler.advance(by: .seconds(60))
    #expect(recorder.lines.last?.hasSuffix("S failed Trouble(number: 1)") == true)
    #expect(recorder.ends == 1)
  }

  @Test(arguments: OperatorCase.all)
  func `stops at the end, and forwards it once`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let source = Subject<Number, Trouble>()
    recorder.record(operation.apply(source.signal, scheduler), as: "S")
    source.send(1)
    source.send(2)
    source.complete()
    scheduler.advance(by: .seconds(60))
    source.send(3)
    source.complete()
    scheduler.advance(by: .seconds(60))
    #expect(recorder.lines.last?.hasSuffix("S completed") == true)
    #expect(recorder.ends == 1)
  }

  @Test(arguments: OperatorCase.all)
  func `disposes upstream at the end, and when it is disposed`(_ operation: OperatorCase) {
    for ends in [true, false] {
      let scheduler = TestScheduler()
      let disposals = Counter()
      let held = Lock<Observer<Number, Trouble>?>(nil)
      let source = OperatorCase.Numbers { observer in
        held.withLock { $0 = observer }
        return AnyDisposable { disposals.increment() }
      }
      let subscription = operation.apply(source, scheduler).subscribe()
      scheduler.advance(by: .seconds(1))
      let observer = held.withLock { $0 }
      observer?.send(1)
      if ends { observer?.fail(Trouble()) } else { subscription.dispose() }
      scheduler.advance(by: .seconds(60))
      #expect(disposals.value == 1)
      #expect(subscription.isDisposed)
    }
  }

  @Test(arguments: OperatorCase.all)
  func `delivers nothing after disposal`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let source = Subject<Number, Trouble>()
    let subscription = recorder.record(operation.apply(source.signal, scheduler), as: "S")
    source.send(1)
    subscription.dispose()
    let before = recorder.lines
    source.send(2)
    source.complete()
    scheduler.advance(by: .seconds(60))
    #expect(recorder.lines == before)
    #expect(scheduler.pendingCount == operation.leftWaiting)
  }

  @Test(arguments: OperatorCase.all)
  func `leaks nothing after the end`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let source = Subject<Number, Trouble>()
    weak var seen: Counter?
    do {
      let counter = Counter()
      seen = counter
      operation.apply(source.signal, scheduler).subscribe(next: { _ in counter.increment() })
    }
    source.send(1)
    source.complete()
    scheduler.advance(by: .seconds(60))
    #expect(seen == nil)
  }

  @Test(arguments: OperatorCase.all)
  func `leaks nothing after disposal`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let source = Subject<Number, Trouble>()
    weak var seen: Counter?
    do {
      let counter = Counter()
      seen = counter
      operation.apply(source.signal, scheduler)
        .subscribe(next: { _ in counter.increment() })
        .dispose()
    }
    scheduler.advance(by: .seconds(60))
    #expect(seen == nil)
  }

  @Test(arguments: OperatorCase.all)
  func `leaks nothing when its source goes`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    weak var seen: Counter?
    do {
      let counter = Counter()
      seen = counter
      let source = Subject<Number, Trouble>()
      operation.apply(source.signal, scheduler).subscribe(next: { _ in counter.increment() })
      source.send(1)
      scheduler.advance(by: .seconds(1_000))
    }
    #expect(seen == nil)
  }

  @Test(arguments: OperatorCase.all)
  func `survives disposal within a callback, and is silent from then on`(_ operation: OperatorCase)
  {
    let scheduler = TestScheduler()
    let calls = Counter()
    let subscription = SerialDisposable()
    let source = Subject<Number, Trouble>()
    subscription.replace(
      with: operation.apply(source.signal, scheduler).subscribe(
        next: { _ in
          calls.increment()
          subscription.dispose()
        },
        completed: { calls.increment() }
      )
    )
    for value in 1...5 { source.send(Number(value)) }
    source.complete()
    scheduler.advance(by: .seconds(60))
    #expect(calls.value == 1)
  }

  @Test(arguments: OperatorCase.all)
  func `sends the same of a synchronous source as of an asynchronous one`(_ operation: OperatorCase)
  {
    let lines = [true, false].map { isSynchronous in
      let scheduler = TestScheduler()
      let recorder = Recorder(on: scheduler)
      let source = OperatorCase.Numbers { observer in
        let send: @Sendable () -> Void = {
          for value in 1...5 { observer.send(Number(value)) }
          observer.complete()
        }
        guard isSynchronous else { return scheduler.schedule(send) }
        send()
        return nil
      }
      recorder.record(operation.apply(source, scheduler), as: "S")
      scheduler.advance(by: .seconds(60))
      return recorder.lines
    }
    #expect(lines[0] == lines[1])
  }

  @Test(arguments: OperatorCase.all.filter(\.stopsEndless))
  func `lets a synchronous endless source be stopped`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let endless = Signal<Int, Trouble>(Naturals()).map { Number($0) }
    recorder.record(operation.apply(endless, scheduler).take(3), as: "S")
    scheduler.advance(by: .seconds(60))
    #expect(recorder.lines.last?.hasSuffix("S completed") == true)
    #expect(recorder.ends == 1)
  }

  @Test(arguments: OperatorCase.all)
  func `can be subscribed again, and starts anew`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let result = operation.apply(Signal([1, 2, 3, 4, 5]), scheduler)
    let lines = (0..<2).map { _ in
      let recorder = Recorder()
      recorder.record(result, as: "S")
      scheduler.advance(by: .seconds(60))
      return recorder.lines
    }
    #expect(lines[0] == lines[1])
  }

  @Test(arguments: OperatorCase.all)
  func `delivers one event at a time when two threads send`(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let source = Subject<Number, Trouble>()
    let overlap = Overlap()
    let subscription = operation.apply(source.signal, scheduler)
      .subscribe(next: { overlap.pass($0.value) })
    inParallel(2) { thread in
      for value in 0..<200 { source.send(Number(1_000 * thread + value)) }
    }
    subscription.dispose()
    #expect(!overlap.wasSeen)
  }
}

extension Recorder {
  /// How many ends were recorded.
  fileprivate var ends: Int {
    lines.count { $0.contains(" completed") || $0.contains(" failed") }
  }
}
