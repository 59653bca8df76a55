/// Combines the values of two signals with a function, pair by pair; the first cannot fail.
///
/// With three signals or more, promote those that cannot fail with ``Signal/promoteError(to:)``.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Returns the value to send.
/// - Returns: A signal that fails with the second one.
@_disfavoredOverload
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: Signal<First, Never>,
  _ second: Signal<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  zip(first.promoteError(to: Failure.self), second, transform: transform)
}

/// Combines the values of two signals with a function, pair by pair; the second cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Returns the value to send.
/// - Returns: A signal that fails with the first one.
@_disfavoredOverload
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: Signal<First, Failure>,
  _ second: Signal<Second, Never>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  zip(first, second.promoteError(to: Failure.self), transform: transform)
}

/// Sends the values of two signals as pairs; the first cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
/// - Returns: A signal that fails with the second one.
@_disfavoredOverload
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: Signal<First, Never>,
  _ second: Signal<Second, Failure>
) -> Signal<(First, Second), Failure> {
  zip(first.promoteError(to: Failure.self), second)
}

/// Sends the values of two signals as pairs; the second cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
/// - Returns: A signal that fails with the first one.
@_disfavoredOverload
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: Signal<First, Failure>,
  _ second: Signal<Second, Never>
) -> Signal<(First, Second), Failure> {
  zip(first, second.promoteError(to: Failure.self))
}
