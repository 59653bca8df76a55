internal import Signals

extension Row {
  /// An execution from start to end, with one observer.
  static var command: Row {
    Row(
      name: "(g) Command, one synchronous execution", aim: Aim(nanoseconds: 500, allocations: 10),
      contenders: [signalsCommand()])
  }
}

private func signalsCommand() -> Contender {
  let sum = Sum()
  let command = Command<Int, Int, Never> { .just($0 &+ 1) }
  command.executionEvents.subscribe(next: { event in
    if case .next(_, let value) = event { sum.add(value) }
  })
  return Contender(.signals) { count in
    for value in 0..<count { command.execute(value) }
  }
}
