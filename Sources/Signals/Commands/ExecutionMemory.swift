/// A memory of every value of an execution, also after the end.
///
/// The first value is stored in place: most executions send one value, which then needs no array.
@usableFromInline
struct ExecutionMemory<Value: Sendable, Failure: Error>: SubjectMemory {
  @inlinable static var isKept: Bool { true }
  @inlinable static var outlivesEnd: Bool { true }

  @usableFromInline var end: End<Failure>?
  @usableFromInline var first: Value?
  @usableFromInline var others: [Value] = []

  @inlinable
  init() {}

  @inlinable
  mutating func record(_ value: Value) {
    if first == nil {
      first = value
    } else {
      others.append(value)
    }
  }

  @inlinable
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void) {
    guard let first, wanted() else { return }
    receive(first)
    for value in others {
      guard wanted() else { return }
      receive(value)
    }
  }
}
