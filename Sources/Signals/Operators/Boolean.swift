extension Signal where Value == Bool {
  /// Sends the opposite of each value.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  T-F|
  /// source.map { $0 == "b" }.not().map { $0 ? "T" : "F" }
  /// ```
  ///
  /// - Returns: A signal with the same end.
  @inlinable
  public func not() -> Signal {
    map { !$0 }
  }

  /// Sends whether the latest values of both signals are true.
  ///
  /// ```text
  /// source:  a---b|
  /// other:   -x-y--|
  /// result:  -T-FF-|
  /// source.map { $0 == "a" }.and(other.map { $0 == "x" }).map { $0 ? "T" : "F" }
  /// ```
  ///
  /// - Parameter other: The second signal.
  /// - Returns: The signal that `combineLatest` of both returns.
  @inlinable
  public func and(_ other: Signal) -> Signal {
    combineLatest(self, other) { $0 && $1 }
  }

  /// Sends whether the latest value of one of the signals is true.
  ///
  /// ```text
  /// source:  a---b|
  /// other:   -x-y--|
  /// result:  -T-TF-|
  /// source.map { $0 == "a" }.or(other.map { $0 == "x" }).map { $0 ? "T" : "F" }
  /// ```
  ///
  /// - Parameter other: The second signal.
  /// - Returns: The signal that `combineLatest` of both returns.
  @inlinable
  public func or(_ other: Signal) -> Signal {
    combineLatest(self, other) { $0 || $1 }
  }
}
