internal import Signals

extension Row {
  /// A value that maps to a signal of one value, unless another one is running.
  static var exhaustMap: Row {
    Row(name: "(k) exhaustMap of one-value signals", aim: Aim(), contenders: [signalsExhaustMap()])
  }

  /// A race of two signals of one value, from subscribing to the end; no peer has this operator.
  static var race: Row {
    Row(name: "(k) race of 2 one-value signals", aim: Aim(), contenders: [signalsRace()])
  }
}

private func signalsExhaustMap() -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
  subject.signal.exhaustMap { .just($0 &+ 1) }.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count { subject.send(value) }
  }
}

private func signalsRace() -> Contender {
  let sum = Sum()
  return Contender(.signals) { count in
    for value in 0..<count {
      Signal<Int, Never>.race(.just(value), .just(0)).subscribe(next: { sum.add($0) })
    }
  }
}
