internal import Signals

extension Row {
  /// An observer that subscribes and disposes while another one stays.
  static var churn: Row {
    Row(
      name: "(i) subscribe and dispose on a live subject", aim: Aim(nanoseconds: 150),
      contenders: [signalsChurn(), floorChurn()])
  }
}

private func signalsChurn() -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
  subject.signal.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for _ in 0..<count { subject.signal.subscribe(next: { sum.add($0) }).dispose() }
  }
}

private func floorChurn() -> Contender {
  let sum = Sum()
  let list = ClosureList<Int>()
  _ = list.add { sum.add($0) }
  return Contender(.closureList) { count in
    for _ in 0..<count { list.remove(list.add { sum.add($0) }) }
  }
}
