extension Signal where Failure == Never {
  /// Sends what a function makes of each value, and fails with the first error that it throws.
  ///
  /// The type of error is the one that the function declares; a closure that does not say it,
  /// `{ try parse($0) }`, throws `any Error`.
  ///
  /// - Parameter transform: Called once for each value and subscriber.
  /// - Returns: A signal that disposes its source when the function throws.
  @_disfavoredOverload
  @inlinable
  public func tryMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) throws(NewFailure) -> NewValue
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).tryMap(transform)
  }

  /// Fails when the signal, which cannot fail by itself, has not ended after some time.
  ///
  /// - Parameters:
  ///   - limit: How long the signal may take, measured from subscribing to the end.
  ///   - scheduler: Whose time it is, and where the failure is sent.
  ///   - error: What it fails with.
  /// - Returns: A signal that ends in time; the source is disposed when it does not.
  @_disfavoredOverload
  public func timeout<NewFailure: Error>(
    after limit: Duration,
    on scheduler: some Scheduler,
    with error: NewFailure
  ) -> Signal<Value, NewFailure> {
    promoteError(to: NewFailure.self).timeout(after: limit, on: scheduler, with: error)
  }
}

extension Signal {
  /// Sends the latest value each time that a signal that cannot fail sends one.
  ///
  /// - Parameter sampler: Says when; subscribed after this signal.
  /// - Returns: Ends with whichever of the two ends first; fails only with this signal.
  @_disfavoredOverload
  @inlinable
  public func sample<Other: Sendable>(on sampler: Signal<Other, Never>) -> Signal {
    sample(on: sampler.promoteError(to: Failure.self))
  }
}
