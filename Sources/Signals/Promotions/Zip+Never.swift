/// Combines the values of two signals with a function, pair by pair; the first cannot fail.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Returns the value to send.
/// - Returns: A signal that fails with the second one.
@_disfavoredOverload
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: some SignalConvertible<First, Never>, _ second: some SignalConvertible<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  zip(first.signal.promoteError(to: Failure.self), second.signal, transform: transform)
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
  _ first: some SignalConvertible<First, Failure>, _ second: some SignalConvertible<Second, Never>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  zip(first.signal, second.signal.promoteError(to: Failure.self), transform: transform)
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
  _ first: some SignalConvertible<First, Never>, _ second: some SignalConvertible<Second, Failure>
) -> Signal<(First, Second), Failure> {
  zip(first.signal.promoteError(to: Failure.self), second.signal)
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
  _ first: some SignalConvertible<First, Failure>, _ second: some SignalConvertible<Second, Never>
) -> Signal<(First, Second), Failure> {
  zip(first.signal, second.signal.promoteError(to: Failure.self))
}
