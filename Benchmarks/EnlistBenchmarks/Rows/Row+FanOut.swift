internal import Signals

extension Row {
  /// A value that is sent to each of several observers.
  static func fanOut(to subscribers: Int) -> Row {
    Row(
      name: "(b) fan-out to \(subscribers), each", aim: Aim(ratio: subscribers == 1 ? 0.6 : 0.25),
      contenders: [signalsFanOut(to: subscribers), floorFanOut(to: subscribers)])
  }
}

private func signalsFanOut(to subscribers: Int) -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
  for _ in 0..<subscribers { subject.signal.subscribe(next: { sum.add($0) }) }
  return Contender(.signals) { count in
    for value in 0..<count / subscribers { subject.send(value) }
  }
}

private func floorFanOut(to subscribers: Int) -> Contender {
  let sum = Sum()
  let list = ClosureList<Int>()
  for _ in 0..<subscribers { _ = list.add { sum.add($0) } }
  return Contender(.closureList) { count in
    for value in 0..<count / subscribers { list.send(value) }
  }
}
