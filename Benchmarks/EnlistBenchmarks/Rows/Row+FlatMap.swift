internal import AsyncAlgorithms
internal import OpenCombine
internal import Signals

extension Row {
  /// A value that maps to a signal of one value, which is made, subscribed and completes.
  static var flatMap: Row {
    Row(
      name: "(d) flatMap of one-value signals",
      aim: Aim(nanoseconds: 200),
      contenders: [signalsFlatMap(), openCombineFlatMap(), asyncFlatMap()]
    )
  }
}

private func signalsFlatMap() -> Contender {
  let sum = Sum()
  let subject = Signals.Subject<Int, Never>()
  subject.signal.flatMap { .just($0 &+ 1) }.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count { subject.send(value) }
  }
}

private func openCombineFlatMap() -> Contender {
  let sum = Sum()
  let subject = PassthroughSubject<Int, Never>()
  let sink = subject.flatMap { Just($0 &+ 1) }.sink { sum.add($0) }
  return Contender(.openCombine) { count in
    withExtendedLifetime(sink) {
      for value in 0..<count { subject.send(value) }
    }
  }
}

private func asyncFlatMap() -> Contender {
  let sum = Sum()
  return Contender(.asyncAlgorithms) { count in
    for await value in (0..<count).async.flatMap({ [$0 &+ 1].async }) { sum.add(value) }
  }
}
