// Overloads for a signal that cannot fail where one that can is expected. All are disfavored: they
// do not change an expression that needs no promotion, and the compiler tries them only if no other
// overload fits.

extension Signal where Failure == Never {
  /// Maps each value to a signal that can fail, and merges these signals.
  ///
  /// - Parameter transform: Returns the signal for a value, which is subscribed immediately.
  /// - Returns: The same as `flatMap` after ``promoteError(to:)``.
  @_disfavoredOverload
  @inlinable
  public func flatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).flatMap(transform)
  }

  /// Maps each value to a signal that can fail, and sends their values, one signal after the other.
  ///
  /// - Parameter transform: Returns the signal for a value, called when the value arrives; the
  ///   signal may have to wait.
  /// - Returns: The same as `concatMap` after ``promoteError(to:)``.
  @_disfavoredOverload
  @inlinable
  public func concatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).concatMap(transform)
  }

  /// Maps each value to a signal that can fail, and follows the newest one.
  ///
  /// - Parameter transform: Makes the signal; called before the previous one is disposed.
  /// - Returns: The same as `flatMapLatest` after ``promoteError(to:)``.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).flatMapLatest(transform)
  }

  /// Maps a value to a signal that can fail, unless the previous one is still running.
  ///
  /// - Parameter transform: Returns the signal for a value, which is subscribed immediately.
  /// - Returns: The same as `exhaustMap` after ``promoteError(to:)``.
  @_disfavoredOverload
  @inlinable
  public func exhaustMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).exhaustMap(transform)
  }

  /// Leaves out the values of this signal, and continues with one that can fail when it completes.
  ///
  /// - Parameter next: Returns the other signal, once this one has completed.
  /// - Returns: A signal of the other one's values, which fails with it.
  @_disfavoredOverload
  @inlinable
  public func then<NewValue: Sendable, NewFailure: Error>(
    _ next: @escaping @Sendable () -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).then(next)
  }
}

extension Signal {
  /// Maps each value to a signal that cannot fail, and merges these signals.
  ///
  /// - Parameter transform: Returns the signal for a value, which is subscribed immediately.
  /// - Returns: A signal of all values, which fails only with this one.
  @_disfavoredOverload
  @inlinable
  public func flatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Never>
  ) -> Signal<NewValue, Failure> {
    flatMap { transform($0).promoteError(to: Failure.self) }
  }

  /// Maps each value to a signal that cannot fail, and sends their values, one signal after the
  /// other.
  ///
  /// - Parameter transform: Returns the signal for a value, called when the value arrives; the
  ///   signal may have to wait.
  /// - Returns: A signal of all values, which fails only with this one.
  @_disfavoredOverload
  @inlinable
  public func concatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Never>
  ) -> Signal<NewValue, Failure> {
    concatMap { transform($0).promoteError(to: Failure.self) }
  }

  /// Maps each value to a signal that cannot fail, and follows the newest one.
  ///
  /// - Parameter transform: Makes the signal; called before the previous one is disposed.
  /// - Returns: A signal of the values of the newest inner signal, which fails only with this one.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Never>
  ) -> Signal<NewValue, Failure> {
    flatMapLatest { transform($0).promoteError(to: Failure.self) }
  }
}
