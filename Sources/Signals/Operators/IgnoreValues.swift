extension Signal {
  /// Sends only the end.
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

  /// Sends only the end, as a signal of another value type.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  ---|
  /// source.ignoreValues(as: Int.self)
  /// ```
  ///
  /// - Parameter type: The value type, of which no value is ever sent.
  /// - Returns: A signal without values.
  @inlinable
  public func ignoreValues<NewValue: Sendable>(as type: NewValue.Type) -> Signal<NewValue, Failure>
  {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      self.attach(Observer(next: { _ in }, end: observer.onEnd), subscription)
    })
  }
}
