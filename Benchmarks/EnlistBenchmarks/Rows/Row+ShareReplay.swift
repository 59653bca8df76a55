internal import Signals

extension Row {
  /// An observer that subscribes to a shared signal, gets its last value, and goes.
  static var shareReplay: Row {
    Row(
      name: "(n) share(replay: 1): subscribe and dispose", aim: Aim(),
      contenders: [signalsShareReplay()])
  }
}

private func signalsShareReplay() -> Contender {
  let sum = Sum()
  let source = Subject<Int, Never>()
  let shared = source.signal.share(replay: 1)
  shared.subscribe(next: { sum.add($0) })
  source.send(1)
  return Contender(.signals) { count in
    withExtendedLifetime(source) {
      for _ in 0..<count { shared.subscribe(next: { sum.add($0) }).dispose() }
    }
  }
}
