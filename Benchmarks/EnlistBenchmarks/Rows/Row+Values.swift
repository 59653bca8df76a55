internal import Signals

extension Row {
  /// A value that is read from a signal as an asynchronous sequence.
  static var boundedValues: Row {
    Row(name: "(p) values(bufferingPolicy:), each value", aim: Aim(), contenders: [signalsValues()])
  }
}

private func signalsValues() -> Contender {
  let sum = Sum()
  return Contender(.signals) { count in
    for _ in 0..<count / 100 {
      let values = Signal<Int, Never>(0..<100).values(bufferingPolicy: .bufferingNewest(100))
      for await value in values { sum.add(value) }
    }
  }
}
