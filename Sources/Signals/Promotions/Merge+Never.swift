extension Signal {
  /// Sends what this signal and one that cannot fail send, as it comes.
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: Completes when both have completed; fails with this signal.
  @_disfavoredOverload
  @inlinable
  public func merge(with other: Signal<Value, Never>) -> Signal {
    merge(with: other.promoteError(to: Failure.self))
  }

  /// Sends what two signals send, as it comes; the second one cannot fail.
  ///
  /// - Parameters:
  ///   - first: Subscribed first.
  ///   - second: Subscribed second.
  /// - Returns: Completes when both have completed; fails with the first one.
  @_disfavoredOverload
  @inlinable
  public static func merge(_ first: Signal, _ second: Signal<Value, Never>) -> Signal {
    first.merge(with: second)
  }

  /// Sends what two signals send, as it comes; the first one cannot fail.
  ///
  /// - Parameters:
  ///   - first: Subscribed first.
  ///   - second: Subscribed second.
  /// - Returns: Completes when both have completed; fails with the second one.
  @_disfavoredOverload
  @inlinable
  public static func merge(_ first: Signal<Value, Never>, _ second: Signal) -> Signal {
    first.merge(with: second)
  }

  /// Sends the values of this signal, and when it completes those of one that cannot fail.
  ///
  /// - Parameter next: Subscribed when this signal has completed; not at all when it fails.
  /// - Returns: Completes with the second signal; fails with this one.
  @_disfavoredOverload
  @inlinable
  public func concat(_ next: Signal<Value, Never>) -> Signal {
    concat(next.promoteError(to: Failure.self))
  }
}

extension Signal where Failure == Never {
  /// Sends what this signal and one that can fail send, as it comes.
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: Completes when both have completed; fails with the second one.
  @_disfavoredOverload
  @inlinable
  public func merge<OtherFailure: Error>(
    with other: Signal<Value, OtherFailure>
  ) -> Signal<Value, OtherFailure> {
    promoteError(to: OtherFailure.self).merge(with: other)
  }

  /// Sends the values of this signal, and when it completes those of one that can fail.
  ///
  /// - Parameter next: Subscribed when this signal has completed.
  /// - Returns: Ends with the second signal.
  @_disfavoredOverload
  @inlinable
  public func concat<NextFailure: Error>(
    _ next: Signal<Value, NextFailure>
  ) -> Signal<Value, NextFailure> {
    promoteError(to: NextFailure.self).concat(next)
  }
}
