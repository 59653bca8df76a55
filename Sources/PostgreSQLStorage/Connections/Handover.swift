/// A value that the thread that has made it hands over to the one thread that uses it from then on.
// @unchecked Sendable because the value is used by one thread at a time: by its maker until the
// other thread starts, which orders the two.
struct Handover<Value>: @unchecked Sendable {
  /// The value.
  let value: Value

  /// Hands over a value.
  ///
  /// - Parameter value: The value, which the caller does not use any more.
  init(_ value: Value) {
    self.value = value
  }
}
