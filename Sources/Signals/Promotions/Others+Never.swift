extension Signal where Failure == Never {
  /// Maps each value with a throwing function, and fails with the first error that it throws.
  ///
  /// The error type is the one that the function declares; a closure that declares none, such as `{
  /// try parse($0) }`, throws `any Error`.
  ///
  /// - Parameter transform: Called once for each value and subscription.
  /// - Returns: A signal that disposes its source when the function throws.
  @_disfavoredOverload
  @inlinable
  public func tryMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) throws(NewFailure) -> NewValue
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).tryMap(transform)
  }

  /// Fails when the signal, which cannot fail itself, has not ended within a time limit.
  ///
  /// - Parameters:
  ///   - limit: The time limit, from subscribing to the end.
  ///   - scheduler: The scheduler that measures the time, and on which the failure is sent.
  ///   - error: The error to fail with.
  /// - Returns: A signal that ends within the limit; a source that does not is disposed.
  @_disfavoredOverload
  public func timeout<NewFailure: Error>(
    after limit: Duration, on scheduler: some Scheduler, with error: NewFailure
  ) -> Signal<Value, NewFailure> {
    promoteError(to: NewFailure.self).timeout(after: limit, on: scheduler, with: error)
  }

  /// Fails when no value of the signal, which cannot fail itself, has arrived for a time.
  ///
  /// - Parameters:
  ///   - limit: The longest time without a value.
  ///   - scheduler: The scheduler that measures the time, and on which the failure is sent.
  ///   - error: The error to fail with.
  /// - Returns: A signal with the same values; a source that is late is disposed.
  @_disfavoredOverload
  public func timeout<NewFailure: Error>(
    between limit: Duration, on scheduler: some Scheduler, with error: NewFailure
  ) -> Signal<Value, NewFailure> {
    promoteError(to: NewFailure.self).timeout(between: limit, on: scheduler, with: error)
  }
}

extension Signal {
  /// Sends the latest value each time that a signal that cannot fail sends one.
  ///
  /// - Parameter sampler: The signal that triggers sending; subscribed after this one.
  /// - Returns: A signal that ends with the one that ends first, and fails only with this one.
  @_disfavoredOverload
  @inlinable
  public func sample<Other: Sendable>(on sampler: some SignalConvertible<Other, Never>) -> Signal {
    sample(on: sampler.signal.promoteError(to: Failure.self))
  }
}
