/// Sends what a function makes of the latest values of two signals; the first one cannot fail.
///
/// Of three signals or more, promote those that cannot fail with ``Signal/promoteError(to:)``.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Makes the value that is sent.
/// - Returns: Fails with the second signal.
@_disfavoredOverload
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: Signal<First, Never>,
  _ second: Signal<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  combineLatest(first.promoteError(to: Failure.self), second, transform: transform)
}

/// Sends what a function makes of the latest values of two signals; the second one cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Makes the value that is sent.
/// - Returns: Fails with the first signal.
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
/// - Returns: Fails with the second signal.
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
/// - Returns: Fails with the first signal.
@_disfavoredOverload
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: Signal<First, Failure>,
  _ second: Signal<Second, Never>
) -> Signal<(First, Second), Failure> {
  combineLatest(first, second.promoteError(to: Failure.self))
}
