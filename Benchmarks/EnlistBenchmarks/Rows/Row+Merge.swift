internal import Signals

extension Row {
  /// An event of one of three merged signals.
  static var merge: Row {
    Row(
      name: "(e) merge of 3, each event", aim: Aim(nanoseconds: 50),
      contenders: [signalsMerge(), floorMerge()])
  }
}

private func signalsMerge() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in Subject<Int, Never>() }
  Signal.merge(subjects.map(\.signal)).subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count / 3 {
      for subject in subjects { subject.send(value) }
    }
  }
}

private func floorMerge() -> Contender {
  let sum = Sum()
  let lists = (0..<3).map { _ in ClosureList<Int>() }
  for list in lists { _ = list.add { sum.add($0) } }
  return Contender(.closureList) { count in
    for value in 0..<count / 3 {
      for list in lists { list.send(value) }
    }
  }
}
