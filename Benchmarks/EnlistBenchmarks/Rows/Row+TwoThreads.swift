internal import Dispatch
internal import Signals

extension Row {
  /// A value sent while another thread sends to the same subject.
  static var twoThreads: Row {
    Row(
      name: "(h) two threads into one subject", aim: Aim(ratio: 1.5),
      contenders: [signalsTwo(), floorTwo()], shortest: .milliseconds(20))
  }
}

private func signalsTwo() -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
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

/// Runs the same work on two threads and waits for both.
func twice(_ body: @Sendable () -> Void) {
  DispatchQueue.concurrentPerform(iterations: 2) { _ in body() }
}
