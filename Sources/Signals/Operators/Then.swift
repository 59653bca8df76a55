extension Signal {
  /// Leaves out the values of this signal, and goes on with another one when it completes.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  ---x-y|
  /// source.then { other }
  /// ```
  ///
  /// - Parameter next: Makes the other signal, once this one has completed; not called when it
  ///   fails.
  /// - Returns: The values of the other signal; fails with the first failure.
  @inlinable
  public func then<NewValue: Sendable>(
    _ next: @escaping @Sendable () -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    ignoreValues(as: NewValue.self).concat(.deferred(next))
  }
}
