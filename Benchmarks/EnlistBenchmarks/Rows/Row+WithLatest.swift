internal import Signals
internal import Synchronization

extension Row {
  /// A value that is combined with the latest one of another signal; no peer has this operator.
  static var withLatest: Row {
    Row(
      name: "(j) withLatest(from:), each event", aim: Aim(),
      contenders: [signalsWithLatest(), floorWithLatest()])
  }
}

private func signalsWithLatest() -> Contender {
  let sum = Sum()
  let source = Subject<Int, Never>()
  let other = BehaviorSubject<Int, Never>(1)
  source.signal.withLatest(from: other.signal) { $0 &+ $1 }.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    withExtendedLifetime(other) {
      for value in 0..<count { source.send(value) }
    }
  }
}

private func floorWithLatest() -> Contender {
  let sum = Sum()
  let source = ClosureList<Int>()
  let latest = Latest()
  _ = source.add { sum.add($0 &+ latest.value) }
  return Contender(.closureList) { count in
    for value in 0..<count { source.send(value) }
  }
}

/// The latest value of a list, under a lock.
private final class Latest: Sendable {
  private let latest = Mutex(1)

  var value: Int { latest.withLock { $0 } }
}
