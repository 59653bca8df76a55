@testable import Signals
import SignalsTesting
import Testing

// Promise 13 is about sources that only the library can write.

/// The promise about locks: 13.
@Suite struct ContractLockTests {
  /// Sends 1, and 2 from within the callback that receives 1.
  private func order(
    of signal: Signal<some Sendable, Trouble>, sending send: @escaping @Sendable (Int) -> Void
  ) -> [String] {
    let recorder = Recorder()
    let callCount = Counter()
    let subscription = signal.subscribe(next: { _ in
      callCount.increment()
      let call = callCount.value
      recorder.note("begins \(call)")
      if call == 1 { send(2) }
      recorder.note("ends \(call)")
    })
    send(1)
    subscription.dispose()
    return recorder.lines.map { String($0.dropFirst(4)) }
  }

  @Test(arguments: OperatorCase.plain.filter(\.stopsEndless))
  func `operators that need no lock take none`(_ operation: OperatorCase) {
    // An ungated source breaks its promise of serial delivery: an operator that queued or locked
    // would not deliver the second value before it has delivered the first.
    let held = Lock<Observer<Number, Trouble>?>(nil)
    let source = OperatorCase.Numbers(attaching: { observer, _ in
      held.withLock { $0 = observer }
    })
    let lines = order(of: operation.apply(source, TestScheduler())) { value in
      held.withLock { $0 }?.send(Number(value))
    }
    held.withLock { $0 = nil }
    #expect(lines == ["begins 1", "begins 2", "ends 2", "ends 1"])
  }

  @Test(arguments: ["merge", "flatMap", "combineLatest", "switchToLatest"])
  func `joins are gated, whatever they join`(name: String) {
    let held = Lock<Observer<Int, Trouble>?>(nil)
    let source = Signal<Int, Trouble>(attaching: { observer, _ in
      held.withLock { $0 = observer }
    })
    let joined =
      switch name {
      case "merge": source.merge(with: .never)
      case "flatMap": source.flatMap { .just($0) }
      case "combineLatest": combineLatest(.just(0), source) { $0 + $1 }
      default: source.flatMapLatest { .just($0) }
      }
    let lines = order(of: joined) { value in held.withLock { $0 }?.send(value) }
    held.withLock { $0 = nil }
    #expect(lines == ["begins 1", "ends 1", "begins 2", "ends 2"])
  }

  @Test func `subjects and the observer of a created signal are gated`() {
    let subject = Subject<Int, Trouble>()
    let ofSubject = order(of: subject.signal) { subject.send($0) }
    subject.complete()

    let held = Lock<Observer<Int, Trouble>?>(nil)
    let created = Signal<Int, Trouble> { observer in
      held.withLock { $0 = observer }
      return nil
    }
    let ofCreated = order(of: created) { value in held.withLock { $0 }?.send(value) }
    held.withLock { $0 = nil }

    let expected = ["begins 1", "ends 1", "begins 2", "ends 2"]
    #expect(ofSubject == expected)
    #expect(ofCreated == expected)
  }
}
