/// A variable of one subscription, for operators that receive one event at a time.
@usableFromInline
final class Box<Value>: Sendable {
  // nonisolated(unsafe) because a signal delivers one event at a time; without exclusivity checks
  // for the same reason.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var value: Value

  @inlinable
  init(_ value: sending Value) {
    self.value = value
  }
}
