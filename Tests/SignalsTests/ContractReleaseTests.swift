import Signals
import SignalsTesting
import Testing

/// Values, closures and observers are released outside of all locks: their deinit may do anything.
@Suite struct ContractReleaseTests {
  /// What makes an operator release what it holds.
  private enum Cause: CaseIterable {
    case laterValues, time, completion, failure, disposal, releaseOfSource
  }

  @Test(arguments: OperatorCase.all)
  func `what an operator releases may send to its source and dispose the subscription`(
    _ operation: OperatorCase
  ) {
    for cause in Cause.allCases {
      for disposes in [false, true] {
        let count = farewells(of: operation, because: cause, disposing: disposes)
        #expect(count == 7, "\(cause), disposing: \(disposes)")
      }
    }
  }

  /// Sends five values through an operator between two closures.
  ///
  /// Each of the seven carries an object that sends to the source when it is released.
  ///
  /// - Returns: The number of objects that have been released.
  private func farewells(
    of operation: OperatorCase, because cause: Cause, disposing disposes: Bool
  ) -> Int {
    let scheduler = TestScheduler()
    let farewells = Counter()
    do {
      let source = Subject<Number, Trouble>()
      let subscription = SerialDisposable()
      func farewell() -> Farewell {
        Farewell { [weak source, weak subscription] in
          farewells.increment()
          source?.send(0)
          if disposes { subscription?.dispose() }
        }
      }
      // No variable holds one of the closures, so that only the subscription does.
      subscription.replace(
        with: operation.apply(source.signal.do(next: closure(holding: farewell())), scheduler)
          .subscribe(next: closure(holding: farewell())))
      for number in 1...5 { source.send(Number(number, carrying: farewell())) }
      switch cause {
      case .laterValues: for _ in 1...5 { source.send(0) }
      case .time: scheduler.advance(by: .seconds(2))
      case .completion: source.complete()
      case .failure: source.fail(Trouble())
      case .disposal: subscription.dispose()
      case .releaseOfSource: break
      }
    }
    scheduler.advance(by: .seconds(1_000))
    return farewells.value
  }

  private func closure(holding farewell: Farewell) -> @Sendable (Number) -> Void {
    { _ in withExtendedLifetime(farewell) {} }
  }

  @Test func `a value that a replay subject evicts may send to it`() {
    let farewells = Counter()
    let seen = Counter()
    let subject = ReplaySubject<Farewell?, Never>(capacity: 1)
    subject.signal.subscribe(next: { _ in seen.increment() })
    for _ in 0..<10 {
      subject.send(
        Farewell { [weak subject] in
          farewells.increment()
          subject?.send(nil)
        }
      )
    }
    // Evicts the last one, if it is still there.
    subject.send(nil)
    #expect(farewells.value == 10)
    #expect(seen.value == 21)
    #expect(values(of: subject.signal).count == 1)
  }

  @Test(arguments: [true, false])
  func `values that an observer no longer wants may send to it when its queue drops them`(
    ends: Bool
  ) {
    let held = Lock<Observer<Farewell?, Never>?>(nil)
    let signal = Signal<Farewell?, Never> { observer in held.withLock { $0 = observer } }
    let subscription = SerialDisposable()
    let farewells = Counter()
    let seen = Counter()
    subscription.replace(
      with: signal.subscribe(next: { _ in
        seen.increment()
        let observer = held.withLock { $0 }
        if ends { observer?.complete() } else { subscription.dispose() }
        for _ in 0..<3 {
          observer?.send(
            Farewell {
              farewells.increment()
              observer?.send(nil)
            }
          )
        }
      })
    )
    held.withLock { $0 }?.send(nil)
    #expect(farewells.value == 3)
    #expect(seen.value == 1)
  }

  @Test func `values that wait for a reader are released outside of its lock when it is canceled`()
    async
  {
    let subject = Subject<Farewell?, Never>()
    let farewells = Counter()
    let hasSent = ReplaySubject<Void, Never>()
    let task = Task {
      var iterator = subject.signal.values.makeAsyncIterator()
      for _ in 0..<3 {
        subject.send(
          Farewell {
            farewells.increment()
            subject.send(nil)
          }
        )
      }
      hasSent.send(())
      // Canceled while the values wait.
      _ = await Signal<Void, Never>.never.first()
      return await iterator.next() == nil
    }
    _ = await hasSent.signal.first()
    task.cancel()
    #expect(await task.value)
    #expect(farewells.value == 3)
  }

  @Test func `a value that a property replaces is released outside of its lock`() {
    let property = Property<Farewell?>(nil)
    let farewells = Counter()
    property.value = Farewell { [weak property] in
      farewells.increment()
      property?.value = nil
    }
    property.value = nil
    property.value = nil
    #expect(farewells.value == 1)
  }

  @Test func `a value that a behavior subject replaces is released outside of its lock`() {
    let subject = BehaviorSubject<Farewell?, Never>(nil)
    let seen = Counter()
    subject.signal.subscribe(next: { _ in seen.increment() })
    subject.send(Farewell { [weak subject] in subject?.send(nil) })
    subject.send(nil)
    #expect(seen.value == 4)
  }
}
