// Overloads for a signal that cannot fail where one that can is expected. All are disfavored: an
// expression that needs no promotion means what it meant without them, and the compiler does not
// try them once it has found that meaning.

extension Signal where Failure == Never {
  /// Makes a signal that can fail of each value, and sends what all of these send.
  ///
  /// - Parameter transform: Makes the signal, which is subscribed at once.
  /// - Returns: What `flatMap` of ``promoteError(to:)`` returns.
  @_disfavoredOverload
  @inlinable
  public func flatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).flatMap(transform)
  }

  /// Makes a signal that can fail of each value, and sends their values one signal after the other.
  ///
  /// - Parameter transform: Makes the signal, when the value arrives; it may have to wait.
  /// - Returns: What `concatMap` of ``promoteError(to:)`` returns.
  @_disfavoredOverload
  @inlinable
  public func concatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).concatMap(transform)
  }

  /// Makes a signal that can fail of each value, and sends what the newest of these sends.
  ///
  /// - Parameter transform: Makes the signal; called before the previous one is disposed.
  /// - Returns: What `flatMapLatest` of ``promoteError(to:)`` returns.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).flatMapLatest(transform)
  }

  /// Makes a signal that can fail of a value, unless the previous one is still running.
  ///
  /// - Parameter transform: Makes the signal, which is subscribed at once.
  /// - Returns: What `exhaustMap` of ``promoteError(to:)`` returns.
  @_disfavoredOverload
  @inlinable
  public func exhaustMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).exhaustMap(transform)
  }

  /// Leaves out the values of this signal, and goes on with one that can fail when it completes.
  ///
  /// - Parameter next: Makes the other signal, once this one has completed.
  /// - Returns: The values of the other signal, and its failure.
  @_disfavoredOverload
  @inlinable
  public func then<NewValue: Sendable, NewFailure: Error>(
    _ next: @escaping @Sendable () -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    promoteError(to: NewFailure.self).then(next)
  }
}

extension Signal {
  /// Makes a signal that cannot fail of each value, and sends what all of these send.
  ///
  /// - Parameter transform: Makes the signal, which is subscribed at once.
  /// - Returns: The values of all; fails only with this signal.
  @_disfavoredOverload
  @inlinable
  public func flatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Never>
  ) -> Signal<NewValue, Failure> {
    flatMap { transform($0).promoteError(to: Failure.self) }
  }

  /// Makes a signal that cannot fail of each value, and sends their values one signal after the
  /// other.
  ///
  /// - Parameter transform: Makes the signal, when the value arrives; it may have to wait.
  /// - Returns: The values of all; fails only with this signal.
  @_disfavoredOverload
  @inlinable
  public func concatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Never>
  ) -> Signal<NewValue, Failure> {
    concatMap { transform($0).promoteError(to: Failure.self) }
  }

  /// Makes a signal that cannot fail of each value, and sends what the newest of these sends.
  ///
  /// - Parameter transform: Makes the signal; called before the previous one is disposed.
  /// - Returns: The values of the newest signal of each moment; fails only with this signal.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Never>
  ) -> Signal<NewValue, Failure> {
    flatMapLatest { transform($0).promoteError(to: Failure.self) }
  }
}
