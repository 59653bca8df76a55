internal import OpenCombine
internal import Signals

extension Row {
  /// An observer that subscribes to a shared signal, gets its last value, and goes.
  ///
  /// OpenCombine 0.14 comes closest with a subject that has a current value.
  static var shareReplay: Row {
    Row(
      name: "(n) share(replay: 1): subscribe and dispose",
      aim: Aim(),
      contenders: [signalsShareReplay(), openCombineCurrentValue()]
    )
  }
}

private func signalsShareReplay() -> Contender {
  let sum = Sum()
  let source = Signals.Subject<Int, Never>()
  let shared = source.signal.share(replay: 1)
  shared.subscribe(next: { sum.add($0) })
  source.send(1)
  return Contender(.signals) { count in
    withExtendedLifetime(source) {
      for _ in 0..<count { shared.subscribe(next: { sum.add($0) }).dispose() }
    }
  }
}

private func openCombineCurrentValue() -> Contender {
  let sum = Sum()
  let subject = CurrentValueSubject<Int, Never>(1)
  let sink = subject.sink { sum.add($0) }
  return Contender(.openCombine) { count in
    withExtendedLifetime(sink) {
      for _ in 0..<count { subject.sink { sum.add($0) }.cancel() }
    }
  }
}
