extension Signal {
  /// Sends the end only.
  ///
  /// ```text
  /// source:  a-b-|
  /// result:  ----|
  /// source.ignoreValues()
  /// ```
  ///
  /// - Returns: A signal without values.
  @inlinable
  public func ignoreValues() -> Signal {
    ignoreValues(as: Value.self)
  }

  /// Sends the end only, as a signal of another type of values.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  ---|
  /// source.ignoreValues(as: Int.self)
  /// ```
  ///
  /// - Parameter type: The type of the values that never come.
  /// - Returns: A signal without values.
  @inlinable
  public func ignoreValues<NewValue: Sendable>(
    as type: NewValue.Type
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      self.attach(Observer(next: { _ in }, end: observer.onEnd), subscription)
    })
  }
}
