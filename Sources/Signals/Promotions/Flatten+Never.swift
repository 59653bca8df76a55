extension Signal where Failure == Never {
  /// Sends what the signals that arrive send; they can fail, and this one cannot.
  ///
  /// - Parameter maxConcurrent: How many may be subscribed at the same time, at least 1.
  /// - Returns: What `flatten` of ``promoteError(to:)`` returns.
  @_disfavoredOverload
  @inlinable
  public func flatten<Inner: Sendable, InnerFailure: Error>(
    maxConcurrent: Int = .max
  ) -> Signal<Inner, InnerFailure>
  where Value == Signal<Inner, InnerFailure> {
    promoteError(to: InnerFailure.self).flatten(maxConcurrent: maxConcurrent)
  }

  /// Sends the values of the signals that arrive, one after the other; they can fail, and this one
  /// cannot.
  ///
  /// - Returns: What `concat` of ``promoteError(to:)`` returns.
  @_disfavoredOverload
  @inlinable
  public func concat<Inner: Sendable, InnerFailure: Error>() -> Signal<Inner, InnerFailure>
  where Value == Signal<Inner, InnerFailure> {
    promoteError(to: InnerFailure.self).concat()
  }

  /// Sends what the newest of the signals that arrive sends; they can fail, and this one cannot.
  ///
  /// - Returns: What `switchToLatest` of ``promoteError(to:)`` returns.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest<Inner: Sendable, InnerFailure: Error>() -> Signal<Inner, InnerFailure>
  where Value == Signal<Inner, InnerFailure> {
    promoteError(to: InnerFailure.self).switchToLatest()
  }
}
