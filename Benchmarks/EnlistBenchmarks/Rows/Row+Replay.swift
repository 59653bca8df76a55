internal import Signals

extension Row {
  /// A replayed value that a new observer receives.
  static var replay: Row {
    Row(
      name: "(f) ReplaySubject(100): subscribe, each value", aim: Aim(nanoseconds: 10),
      contenders: [signalsReplay()])
  }
}

private func signalsReplay() -> Contender {
  let sum = Sum()
  let subject = ReplaySubject<Int, Never>(capacity: 100)
  for value in 0..<150 { subject.send(value) }
  return Contender(.signals) { count in
    for _ in 0..<count / 100 { subject.signal.subscribe(next: { sum.add($0) }).dispose() }
  }
}
