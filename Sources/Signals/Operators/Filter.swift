extension Signal {
  /// Sends only the values that pass a test.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  a---b|
  /// source.filter { $0 < "c" }
  /// ```
  ///
  /// - Parameter isIncluded: Whether a value passes.
  /// - Returns: A signal with the same end.
  @inline(__always)
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(attaching: { observer, subscription in
      self.attach(
        Observer(next: { if isIncluded($0) { observer.onNext($0) } }, end: observer.onEnd),
        subscription)
    })
  }
}
