internal import Signals

extension Row {
  /// A value that is collected into an array of 16.
  static var bufferCount: Row {
    Row(name: "(l) buffer(count: 16), each value", aim: Aim(), contenders: [signalsBuffer()])
  }

  /// A value that is sent by a signal of 16; no peer has this operator.
  static var windowCount: Row {
    Row(name: "(l) window(count: 16), each value", aim: Aim(), contenders: [signalsWindow()])
  }
}

private func signalsBuffer() -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
  subject.signal.buffer(count: 16).subscribe(next: { sum.add($0[15]) })
  return Contender(.signals) { count in
    for value in 0..<count { subject.send(value) }
  }
}

private func signalsWindow() -> Contender {
  let sum = Sum()
  let subject = Subject<Int, Never>()
  subject.signal.window(count: 16)
    .subscribe(next: { window in window.subscribe(next: { sum.add($0) }) })
  return Contender(.signals) { count in
    for value in 0..<count { subject.send(value) }
  }
}
