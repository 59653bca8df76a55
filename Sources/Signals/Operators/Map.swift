extension Signal {
  /// Maps each value with a function.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  A-B|
  /// source.map { $0.uppercased() }
  /// ```
  ///
  /// - Parameter transform: Called once for each value and subscription.
  /// - Returns: A signal with the same end.
  @inline(__always)
  @inlinable
  public func map<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> NewValue
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      self.attach(
        Observer(next: { observer.onNext(transform($0)) }, end: observer.onEnd), subscription)
    })
  }

  /// Replaces each value with the same one.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  x-x|
  /// source.mapReplace("x")
  /// ```
  ///
  /// - Parameter value: The value to send.
  /// - Returns: A signal with the same end.
  @inlinable
  public func mapReplace<NewValue: Sendable>(_ value: NewValue) -> Signal<NewValue, Failure> {
    map { _ in value }
  }
}
