extension Signal {
  /// Sends what a function makes of each value, unless it is `nil`.
  ///
  /// ```text
  /// source:  a-1-b-2|
  /// result:  --1---2|
  /// source.compactMap { Int($0) }
  /// ```
  ///
  /// - Parameter transform: Called once for each value and subscriber.
  /// - Returns: A signal with the same end.
  @inlinable
  public func compactMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> NewValue?
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: { if let new = transform($0) { observer.onNext(new) } },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }
}
