// Joins of subjects and properties, and of these with signals.

/// Combines the latest values of two sources with a function, whenever one of them changes.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Returns the value to send.
/// - Returns: The same as `combineLatest` of their signals.
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: some SignalConvertible<First, Failure>,
  _ second: some SignalConvertible<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  combineLatest(first.signal, second.signal, transform: transform)
}

/// Sends the latest values of two sources, whenever one of them changes.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
/// - Returns: The same as `combineLatest` of their signals.
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: some SignalConvertible<First, Failure>, _ second: some SignalConvertible<Second, Failure>
) -> Signal<(First, Second), Failure> {
  combineLatest(first.signal, second.signal)
}

/// Combines the latest values of three sources with a function, whenever one of them changes.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - third: Subscribed third.
///   - transform: Returns the value to send.
/// - Returns: The same as `combineLatest` of their signals.
@_disfavoredOverload
@inlinable
public func combineLatest<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  Failure: Error,
  Result: Sendable
>(
  _ first: some SignalConvertible<First, Failure>,
  _ second: some SignalConvertible<Second, Failure>,
  _ third: some SignalConvertible<Third, Failure>,
  transform: @escaping @Sendable (First, Second, Third) -> Result
) -> Signal<Result, Failure> {
  combineLatest(first.signal, second.signal, third.signal, transform: transform)
}

/// Combines the values of two sources with a function, pair by pair.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Returns the value to send.
/// - Returns: The same as `zip` of their signals.
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: some SignalConvertible<First, Failure>,
  _ second: some SignalConvertible<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  zip(first.signal, second.signal, transform: transform)
}
