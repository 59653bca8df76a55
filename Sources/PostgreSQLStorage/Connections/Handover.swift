/// A value that one thread creates and another one uses from then on.
// @unchecked Sendable because one thread at a time uses the value: its creator, until the other
// thread starts, which orders the two.
struct Handover<Value>: @unchecked Sendable {
  let value: Value

  /// Creates a handover of a value that the caller no longer uses.
  init(_ value: Value) {
    self.value = value
  }
}
