extension Signal {
  /// Merges this signal with one that cannot fail.
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: A signal that completes when both have completed, and fails with this one.
  @_disfavoredOverload
  @inlinable
  public func merge(with other: some SignalConvertible<Value, Never>) -> Signal {
    merge(with: other.signal.promoteError(to: Failure.self))
  }

  /// Merges two signals, of which the second cannot fail.
  ///
  /// - Parameters:
  ///   - first: Subscribed first.
  ///   - second: Subscribed second.
  /// - Returns: A signal that completes when both have completed, and fails with the first one.
  @_disfavoredOverload
  @inlinable
  public static func merge(_ first: Signal, _ second: Signal<Value, Never>) -> Signal {
    first.merge(with: second)
  }

  /// Merges two signals, of which the first cannot fail.
  ///
  /// - Parameters:
  ///   - first: Subscribed first.
  ///   - second: Subscribed second.
  /// - Returns: A signal that completes when both have completed, and fails with the second one.
  @_disfavoredOverload
  @inlinable
  public static func merge(_ first: Signal<Value, Never>, _ second: Signal) -> Signal {
    first.merge(with: second)
  }

  /// Sends the values of this signal and, when it completes, those of one that cannot fail.
  ///
  /// - Parameter next: The signal to continue with, subscribed when this one has completed; not
  ///   subscribed when this one fails.
  /// - Returns: A signal that completes with the second one, and fails with this one.
  @_disfavoredOverload
  @inlinable
  public func concat(_ next: some SignalConvertible<Value, Never>) -> Signal {
    concat(next.signal.promoteError(to: Failure.self))
  }
}

extension Signal where Failure == Never {
  /// Merges this signal with one that can fail.
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: A signal that completes when both have completed, and fails with the second one.
  @_disfavoredOverload
  @inlinable
  public func merge<OtherFailure: Error>(
    with other: Signal<Value, OtherFailure>
  ) -> Signal<Value, OtherFailure> {
    promoteError(to: OtherFailure.self).merge(with: other)
  }

  /// Sends the values of this signal and, when it completes, those of one that can fail.
  ///
  /// - Parameter next: The signal to continue with, subscribed when this one has completed.
  /// - Returns: A signal that ends with the second one.
  @_disfavoredOverload
  @inlinable
  public func concat<NextFailure: Error>(
    _ next: Signal<Value, NextFailure>
  ) -> Signal<Value, NextFailure> {
    promoteError(to: NextFailure.self).concat(next)
  }
}
