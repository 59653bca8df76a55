internal import AsyncAlgorithms
internal import Dispatch
@preconcurrency internal import OpenCombine
internal import Signals

extension Row {
  /// A value sent while another thread sends to the same subject.
  static var twoThreads: Row {
    Row(
      name: "(h) two threads into one subject",
      aim: Aim(ratio: 1.5),
      contenders: [signalsTwo(), floorTwo(), openCombineTwo(), asyncTwo()],
      shortest: .milliseconds(20)
    )
  }
}

private func signalsTwo() -> Contender {
  let sum = Sum()
  let subject = Signals.Subject<Int, Never>()
  subject.signal.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    twice { for value in 0..<count / 2 { subject.send(value) } }
  }
}

private func floorTwo() -> Contender {
  let sum = Sum()
  let list = ClosureList<Int>()
  _ = list.add { sum.add($0) }
  return Contender(.closureList) { count in
    twice { for value in 0..<count / 2 { list.send(value) } }
  }
}

private func openCombineTwo() -> Contender {
  let sum = Sum()
  let subject = PassthroughSubject<Int, Never>()
  let sink = subject.sink { sum.add($0) }
  return Contender(.openCombine) { count in
    withExtendedLifetime(sink) {
      twice { for value in 0..<count / 2 { subject.send(value) } }
    }
  }
}

private func asyncTwo() -> Contender {
  let sum = Sum()
  return Contender(.asyncAlgorithms) { count in
    let channel = AsyncChannel<Int>()
    async let sent: Void = {
      async let first: Void = send(count / 2, to: channel)
      async let second: Void = send(count / 2, to: channel)
      _ = await (first, second)
      channel.finish()
    }()
    for await value in channel { sum.add(value) }
    await sent
  }
}

/// Runs the same work on two threads and waits for both.
private func twice(_ body: @Sendable () -> Void) {
  DispatchQueue.concurrentPerform(iterations: 2) { _ in body() }
}

private func send(_ count: Int, to channel: AsyncChannel<Int>) async {
  for value in 0..<count { await channel.send(value) }
}
