internal import Signals
internal import Synchronization

extension Row {
  /// A change of a property that an observer of a derived one sees.
  static var propertyMap: Row {
    Row(name: "(o) Property.map, each change", aim: Aim(), contenders: [signalsMap()])
  }

  /// A change of one of two properties that an observer of the combination sees.
  static var propertyCombineLatest: Row {
    Row(
      name: "(o) Property.combineLatest, each change", aim: Aim(),
      contenders: [signalsCombineLatest()])
  }

  /// A change that reads and writes in one step.
  static var propertyModify: Row {
    Row(name: "(o) Property.modify", aim: Aim(), contenders: [signalsModify(), floorModify()])
  }
}

private func signalsMap() -> Contender {
  let sum = Sum()
  let property = Property(0)
  property.map { $0 &+ 1 }.signal.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count { property.value = value }
  }
}

private func signalsCombineLatest() -> Contender {
  let sum = Sum()
  let first = Property(0)
  let second = Property(0)
  first.combineLatest(with: second) { $0 &+ $1 }.signal.subscribe(next: { sum.add($0) })
  return Contender(.signals) { count in
    for value in 0..<count / 2 {
      first.value = value
      second.value = value
    }
  }
}

private func signalsModify() -> Contender {
  let property = Property(0)
  return Contender(.signals) { count in
    for value in 0..<count { property.modify { $0 &+= value } }
  }
}

private func floorModify() -> Contender {
  let number = LockedNumber()
  return Contender(.closureList) { count in
    for value in 0..<count { number.add(value) }
  }
}

/// A number under a lock, without observers.
private final class LockedNumber: Sendable {
  private let number = Mutex(0)

  func add(_ value: Int) {
    number.withLock { $0 &+= value }
  }
}
