internal import Signals

extension Row {
  /// The whole life of a subscription to a cold signal of one value.
  static var cold: Row {
    Row(
      name: "(c) cold: create, subscribe, next, complete, dispose",
      aim: Aim(nanoseconds: 150, allocations: 6), contenders: [signalsCold(), floorCold()])
  }
}

private func signalsCold() -> Contender {
  let sum = Sum()
  return Contender(.signals) { count in
    for value in 0..<count {
      let signal = Signal<Int, Never> { observer in
        observer.send(value)
        observer.complete()
        return nil
      }
      signal.subscribe(next: { sum.add($0) }).dispose()
    }
  }
}

private func floorCold() -> Contender {
  let sum = Sum()
  return Contender(.closureList) { count in
    for value in 0..<count {
      let list = ClosureList<Int>()
      let id = list.add { sum.add($0) }
      list.send(value)
      list.remove(id)
    }
  }
}
