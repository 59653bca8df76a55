/// Combines the latest values of three or more signals; their errors may differ, and some of them
/// may not be able to fail.
///
/// If all that can fail have the same error, `promoteError()` of the others keeps its type.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - third: Subscribed third.
///   - more: Any number of others, subscribed in their order.
///   - transform: Returns the value to send.
/// - Returns: A signal that fails with the first failure.
@_disfavoredOverload
@inlinable
public func combineLatest<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  each More: SignalConvertible,
  FirstFailure: Error,
  SecondFailure: Error,
  ThirdFailure: Error,
  Result: Sendable
>(
  _ first: some SignalConvertible<First, FirstFailure>,
  _ second: some SignalConvertible<Second, SecondFailure>,
  _ third: some SignalConvertible<Third, ThirdFailure>, _ more: repeat each More,
  transform: @escaping @Sendable (First, Second, Third, repeat (each More).Value) -> Result
) -> Signal<Result, any Error> {
  combineLatest(
    first.signal.eraseError(), second.signal.eraseError(), third.signal.eraseError(),
    repeat (each more).signal.eraseError(), transform: transform)
}

/// Combines the values of three or more signals, one of each; their errors may differ, and some of them
/// may not be able to fail.
///
/// If all that can fail have the same error, `promoteError()` of the others keeps its type.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - third: Subscribed third.
///   - more: Any number of others, subscribed in their order.
///   - transform: Returns the value to send.
/// - Returns: A signal that fails with the first failure.
@_disfavoredOverload
@inlinable
public func zip<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  each More: SignalConvertible,
  FirstFailure: Error,
  SecondFailure: Error,
  ThirdFailure: Error,
  Result: Sendable
>(
  _ first: some SignalConvertible<First, FirstFailure>,
  _ second: some SignalConvertible<Second, SecondFailure>,
  _ third: some SignalConvertible<Third, ThirdFailure>, _ more: repeat each More,
  transform: @escaping @Sendable (First, Second, Third, repeat (each More).Value) -> Result
) -> Signal<Result, any Error> {
  zip(
    first.signal.eraseError(), second.signal.eraseError(), third.signal.eraseError(),
    repeat (each more).signal.eraseError(), transform: transform)
}
