internal import Signals
internal import Synchronization

extension Row {
  /// An event of one of two combined signals.
  static var combineLatest: Row {
    Row(
      name: "(e) combineLatest of 2, each event", aim: Aim(nanoseconds: 60),
      contenders: [signalsLatest(), floorLatest()])
  }
}

private func signalsLatest() -> Contender {
  let sum = Sum()
  let first = Subject<Int, Never>()
  let second = Subject<Int, Never>()
  Signals.combineLatest(first.signal, second.signal) { $0 &+ $1 }.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count / 2 {
      first.send(value)
      second.send(value)
    }
  }
}

private func floorLatest() -> Contender {
  let sum = Sum()
  let first = ClosureList<Int>()
  let second = ClosureList<Int>()
  let latest = LatestPair()
  _ = first.add { if let sent = latest.setFirst($0) { sum.add(sent) } }
  _ = second.add { if let sent = latest.setSecond($0) { sum.add(sent) } }
  return Contender(.closureList) { count in
    for value in 0..<count / 2 {
      first.send(value)
      second.send(value)
    }
  }
}

/// The latest values of two lists, under a lock.
private final class LatestPair: Sendable {
  private let pair = Mutex<(first: Int?, second: Int?)>((nil, nil))

  func setFirst(_ value: Int) -> Int? {
    pair.withLock { pair in
      pair.first = value
      return pair.second.map { value &+ $0 }
    }
  }

  func setSecond(_ value: Int) -> Int? {
    pair.withLock { pair in
      pair.second = value
      return pair.first.map { $0 &+ value }
    }
  }
}
