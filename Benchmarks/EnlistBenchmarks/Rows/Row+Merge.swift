internal import AsyncAlgorithms
internal import OpenCombine
internal import Signals

extension Row {
  /// An event of one of three merged signals; OpenCombine 0.14 merges only with `flatMap`.
  static var merge: Row {
    Row(
      name: "(e) merge of 3, each event",
      aim: Aim(nanoseconds: 50),
      contenders: [signalsMerge(), floorMerge(), openCombineMerge(), asyncMerge()]
    )
  }
}

private func signalsMerge() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in Signals.Subject<Int, Never>() }
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

private func openCombineMerge() -> Contender {
  let sum = Sum()
  let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
  let sink = subjects.publisher.flatMap { $0 }.sink { sum.add($0) }
  return Contender(.openCombine) { count in
    withExtendedLifetime(sink) {
      for value in 0..<count / 3 {
        for subject in subjects { subject.send(value) }
      }
    }
  }
}

private func asyncMerge() -> Contender {
  let sum = Sum()
  return Contender(.asyncAlgorithms) { count in
    let values = 0..<count / 3
    for await value in AsyncAlgorithms.merge(values.async, values.async, values.async) {
      sum.add(value)
    }
  }
}
