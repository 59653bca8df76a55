extension Signal {
  /// Maps each value with a function, and leaves out `nil`.
  ///
  /// ```text
  /// source:  a-1-b-2|
  /// result:  --1---2|
  /// source.compactMap { Int($0) }
  /// ```
  ///
  /// - Parameter transform: Called once for each value and subscription.
  /// - Returns: A signal with the same end.
  @inlinable
  public func compactMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> NewValue?
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: { if let new = transform($0) { observer.onNext(new) } }, end: observer.onEnd),
        subscription)
    })
  }
}
