internal import AsyncAlgorithms
internal import OpenCombine
internal import Signals

extension Row {
  /// A value that a subject sends through three operators.
  static var chain: Row {
    Row(
      name: "(a) subject, map, filter, map, sink",
      aim: Aim(ratio: 0.8),
      contenders: [signalsChain(), floorChain(), openCombineChain(), asyncChain()]
    )
  }
}

private func signalsChain() -> Contender {
  let sum = Sum()
  let subject = Signals.Subject<Int, Never>()
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

private func openCombineChain() -> Contender {
  let sum = Sum()
  let subject = PassthroughSubject<Int, Never>()
  let sink = subject.map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 2 }.sink { sum.add($0) }
  return Contender(.openCombine) { count in
    withExtendedLifetime(sink) {
      for value in 0..<count { subject.send(value) }
    }
  }
}

private func asyncChain() -> Contender {
  let sum = Sum()
  return Contender(.asyncAlgorithms) { count in
    let channel = AsyncChannel<Int>()
    let values = channel.map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 2 }
    async let sent: Void = send(count, to: channel)
    for await value in values { sum.add(value) }
    await sent
  }
}

/// Sends the given number of values, then completes.
private func send(_ count: Int, to channel: AsyncChannel<Int>) async {
  for value in 0..<count { await channel.send(value) }
  channel.finish()
}
