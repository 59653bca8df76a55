internal import Signals

extension Row {
  /// A value that a subject sends through three operators.
  static var chain: Row {
    Row(
      name: "(a) subject, map, filter, map, sink", aim: Aim(ratio: 0.8),
      contenders: [signalsChain(), floorChain()])
  }
}

private func signalsChain() -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
  subject.signal.map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 2 }.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count { subject.send(value) }
  }
}

private func floorChain() -> Contender {
  let sum = Sum()
  let list = ClosureList<Int>()
  _ = list.add { value in
    let mapped = value &+ 1
    if mapped > 0 { sum.add(mapped &* 2) }
  }
  return Contender(.closureList) { count in
    for value in 0..<count { list.send(value) }
  }
}
