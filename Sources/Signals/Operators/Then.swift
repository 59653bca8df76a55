extension Signal {
  /// Leaves out the values of this signal, and continues with another one when it completes.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  ---x-y|
  /// source.then { other }
  /// ```
  ///
  /// - Parameter next: Returns the other signal, once this one has completed; not called when it
  ///   fails.
  /// - Returns: A signal of the other one's values, which fails with the first failure.
  @inlinable
  public func then<NewValue: Sendable>(
    _ next: @escaping @Sendable () -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    ignoreValues(as: NewValue.self).concat(.deferred(next))
  }
}
