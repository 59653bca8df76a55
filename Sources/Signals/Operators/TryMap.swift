extension Signal {
  /// Maps each value with a throwing function, and fails with the first error that it throws.
  ///
  /// ```text
  /// source:  a-b-1-c|
  /// result:  a-b-#
  /// source.tryMap { value throws(MarbleError) in try letters(value) }
  /// ```
  ///
  /// - Parameter transform: Called once for each value and subscription.
  /// - Returns: A signal that disposes its source when the function throws.
  @inlinable
  public func tryMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(Failure) -> NewValue
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: { value in
            do throws(Failure) {
              observer.onNext(try transform(value))
            } catch {
              observer.onEnd(.failed(error))
            }
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }
}
