// Signals with different errors meet as `any Error`, without `mapError`.

extension Signal {
  /// Gives the signal the error type `any Error`, so that it can be combined with signals of other
  /// errors.
  ///
  /// - Returns: The same signal.
  @inlinable
  public func eraseError() -> Signal<Value, any Error> {
    mapError { $0 }
  }

  /// Maps each value to a signal of any error, and merges these signals.
  ///
  /// - Parameter transform: Returns the signal for a value, which is subscribed immediately.
  /// - Returns: A signal of all values, which fails with the first failure of any of them.
  @_disfavoredOverload
  @inlinable
  public func flatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, any Error>
  ) -> Signal<NewValue, any Error> {
    eraseError().flatMap(transform)
  }

  /// Maps each value to a signal of any error, and follows the newest one.
  ///
  /// - Parameter transform: Makes the signal; called before the previous one is disposed.
  /// - Returns: A signal of the values of the newest inner signal.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, any Error>
  ) -> Signal<NewValue, any Error> {
    eraseError().flatMapLatest(transform)
  }
}

extension Signal where Failure == any Error {
  /// Maps each value to a signal of a typed error, and merges these signals.
  ///
  /// - Parameter transform: Returns the signal for a value, which is subscribed immediately.
  /// - Returns: A signal of all values, which fails with the first failure of any of them.
  @_disfavoredOverload
  @inlinable
  public func flatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, any Error> {
    flatMap { transform($0).eraseError() }
  }

  /// Maps each value to a signal of a typed error, and sends their values, one signal after the
  /// other.
  ///
  /// - Parameter transform: Returns the signal for a value, called when the value arrives.
  /// - Returns: A signal of all values, which fails with the first failure of any of them.
  @_disfavoredOverload
  @inlinable
  public func concatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, any Error> {
    concatMap { transform($0).eraseError() }
  }

  /// Maps each value to a signal of a typed error, and follows the newest one.
  ///
  /// - Parameter transform: Makes the signal; called before the previous one is disposed.
  /// - Returns: A signal of the values of the newest inner signal.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, any Error> {
    flatMapLatest { transform($0).eraseError() }
  }

  /// Merges signals of a typed error and of any other.
  ///
  /// - Parameter signals: The signals, subscribed in their order.
  /// - Returns: A signal that completes when all have completed, and fails with the first failure.
  @_disfavoredOverload
  @inlinable
  public static func merge<each SomeFailure: Error>(
    _ signals: repeat Signal<Value, each SomeFailure>
  ) -> Signal {
    var all: [Signal] = []
    repeat all.append((each signals).eraseError())
    return merge(all)
  }

  /// Merges this signal with one of a typed error.
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: A signal that completes when both have completed, and fails with the first failure.
  @_disfavoredOverload
  @inlinable
  public func merge<OtherFailure: Error>(
    with other: some SignalConvertible<Value, OtherFailure>
  ) -> Signal {
    merge(with: other.signal.eraseError())
  }

  /// Sends the values of this signal and, when it completes, those of one of a typed error.
  ///
  /// - Parameter next: The signal to continue with, subscribed when this one has completed.
  /// - Returns: A signal that ends with the second one, or fails with this one.
  @_disfavoredOverload
  @inlinable
  public func concat<NextFailure: Error>(
    _ next: some SignalConvertible<Value, NextFailure>
  ) -> Signal {
    concat(next.signal.eraseError())
  }
}
