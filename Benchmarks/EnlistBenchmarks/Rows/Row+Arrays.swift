internal import Signals

extension Row {
  /// An event of one of three signals that are combined as an array.
  static var combineLatestOfArray: Row {
    Row(
      name: "(j) combineLatest of an array of 3, each event", aim: Aim(),
      contenders: [signalsLatest()])
  }

  /// An event of one of three signals that are zipped as an array.
  static var zipOfArray: Row {
    Row(name: "(j) zip of an array of 3, each event", aim: Aim(), contenders: [signalsZip()])
  }
}

private func signalsLatest() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in Subject<Int, Never>() }
  Signals.combineLatest(subjects.map(\.signal)).subscribe(next: { sum.add($0[0] &+ $0[2]) })
  return Contender(.signals) { count in
    for value in 0..<count / 3 {
      for subject in subjects { subject.send(value) }
    }
  }
}

private func signalsZip() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in Subject<Int, Never>() }
  Signals.zip(subjects.map(\.signal)).subscribe(next: { sum.add($0[0] &+ $0[2]) })
  return Contender(.signals) { count in
    for value in 0..<count / 3 {
      for subject in subjects { subject.send(value) }
    }
  }
}
