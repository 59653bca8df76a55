/// Combines the latest values of two signals with a function; the first one cannot fail.
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
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: Signal<First, Never>,
  _ second: Signal<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  combineLatest(first.promoteError(to: Failure.self), second, transform: transform)
}

/// Combines the latest values of two signals with a function; the second one cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Returns the value to send.
/// - Returns: A signal that fails with the first one.
@_disfavoredOverload
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: Signal<First, Failure>,
  _ second: Signal<Second, Never>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  combineLatest(first, second.promoteError(to: Failure.self), transform: transform)
}

/// Sends the latest values of two signals as pairs; the first one cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
/// - Returns: A signal that fails with the second one.
@_disfavoredOverload
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: Signal<First, Never>,
  _ second: Signal<Second, Failure>
) -> Signal<(First, Second), Failure> {
  combineLatest(first.promoteError(to: Failure.self), second)
}

/// Sends the latest values of two signals as pairs; the second one cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
/// - Returns: A signal that fails with the first one.
@_disfavoredOverload
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: Signal<First, Failure>,
  _ second: Signal<Second, Never>
) -> Signal<(First, Second), Failure> {
  combineLatest(first, second.promoteError(to: Failure.self))
}
