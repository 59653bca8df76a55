internal import Signals

extension Row {
  /// A value that maps to a signal of one value, which is made, subscribed and completes.
  static var flatMap: Row {
    Row(
      name: "(d) flatMap of one-value signals", aim: Aim(nanoseconds: 200),
      contenders: [signalsFlatMap()])
  }
}

private func signalsFlatMap() -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
  subject.signal.flatMap { .just($0 &+ 1) }.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count { subject.send(value) }
  }
}
