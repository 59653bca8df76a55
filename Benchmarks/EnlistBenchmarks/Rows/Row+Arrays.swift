internal import AsyncAlgorithms
internal import OpenCombine
internal import Signals

extension Row {
  /// An event of one of three signals that are combined as an array.
  static var combineLatestOfArray: Row {
    Row(
      name: "(j) combineLatest of an array of 3, each event",
      aim: Aim(),
      contenders: [signalsLatest(), asyncLatest()]
    )
  }

  /// An event of one of three signals that are zipped as an array.
  static var zipOfArray: Row {
    Row(
      name: "(j) zip of an array of 3, each event",
      aim: Aim(),
      contenders: [signalsZip(), openCombineZip(), asyncZip()]
    )
  }
}

private func signalsLatest() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in Signals.Subject<Int, Never>() }
  Signals.combineLatest(subjects.map(\.signal)).subscribe(next: { sum.add($0[0] &+ $0[2]) })
  return Contender(.signals) { count in
    for value in 0..<count / 3 {
      for subject in subjects { subject.send(value) }
    }
  }
}

private func asyncLatest() -> Contender {
  let sum = Sum()
  return Contender(.asyncAlgorithms) { count in
    let values = 0..<count / 3
    let triples = AsyncAlgorithms.combineLatest(values.async, values.async, values.async)
    for await (first, _, third) in triples { sum.add(first &+ third) }
  }
}

private func signalsZip() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in Signals.Subject<Int, Never>() }
  Signals.zip(subjects.map(\.signal)).subscribe(next: { sum.add($0[0] &+ $0[2]) })
  return Contender(.signals) { count in
    for value in 0..<count / 3 {
      for subject in subjects { subject.send(value) }
    }
  }
}

private func openCombineZip() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
  let sink = subjects[0].zip(subjects[1], subjects[2]).sink { sum.add($0.0 &+ $0.2) }
  return Contender(.openCombine) { count in
    withExtendedLifetime(sink) {
      for value in 0..<count / 3 {
        for subject in subjects { subject.send(value) }
      }
    }
  }
}

private func asyncZip() -> Contender {
  let sum = Sum()
  return Contender(.asyncAlgorithms) { count in
    let values = 0..<count / 3
    let triples = AsyncAlgorithms.zip(values.async, values.async, values.async)
    for await (first, _, third) in triples { sum.add(first &+ third) }
  }
}
