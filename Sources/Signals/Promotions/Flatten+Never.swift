extension Signal where Failure == Never {
  /// Merges inner signals that can fail; this signal cannot.
  ///
  /// - Parameter maxConcurrent: The number of inner signals that may be subscribed at the same
  ///   time, at least 1.
  /// - Returns: The same as `flatten` after ``promoteError(to:)``.
  @_disfavoredOverload
  @inlinable
  public func flatten<Inner: Sendable, InnerFailure: Error>(
    maxConcurrent: Int = .max
  ) -> Signal<Inner, InnerFailure>
  where Value == Signal<Inner, InnerFailure> {
    promoteError(to: InnerFailure.self).flatten(maxConcurrent: maxConcurrent)
  }

  /// Sends the values of inner signals that can fail, one signal after the other; this signal
  /// cannot.
  ///
  /// - Returns: The same as `concat` after ``promoteError(to:)``.
  @_disfavoredOverload
  @inlinable
  public func concat<Inner: Sendable, InnerFailure: Error>() -> Signal<Inner, InnerFailure>
  where Value == Signal<Inner, InnerFailure> {
    promoteError(to: InnerFailure.self).concat()
  }

  /// Follows the newest inner signal; the inner signals can fail, and this signal cannot.
  ///
  /// - Returns: The same as `switchToLatest` after ``promoteError(to:)``.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest<Inner: Sendable, InnerFailure: Error>() -> Signal<Inner, InnerFailure>
  where Value == Signal<Inner, InnerFailure> {
    promoteError(to: InnerFailure.self).switchToLatest()
  }
}
