extension Signal {
  /// Combines each value with the latest value of another signal.
  ///
  /// Values that arrive before the other signal has sent one are left out. The other signal is
  /// subscribed first, so that its current value is available. The result completes with this
  /// signal, and fails with the first failure; when the other signal completes, its last value
  /// stays.
  ///
  /// ```text
  /// source:  a-b--c-|
  /// other:   -x-y----
  /// result:  --x--y-|
  /// source.withLatest(from: other) { $1 }
  /// ```
  ///
  /// - Parameters:
  ///   - other: The signal that provides the latest value.
  ///   - transform: Returns the value to send.
  /// - Returns: A signal of at most as many values as this one sends.
  @inlinable
  public func withLatest<Other: Sendable, Result: Sendable>(
    from other: Signal<Other, Failure>, transform: @escaping @Sendable (Value, Other) -> Result
  ) -> Signal<Result, Failure> {
    joined(other, self) { WithLatest<Value, Other, Failure, Result>(transform) }
  }

  /// Sends each value together with the latest value of another signal.
  ///
  /// - Parameter other: The signal that provides the latest value.
  /// - Returns: A signal of pairs, otherwise the same as `withLatest(from:transform:)`.
  @inlinable
  public func withLatest<Other: Sendable>(
    from other: Signal<Other, Failure>
  ) -> Signal<(Value, Other), Failure> {
    withLatest(from: other, transform: { ($0, $1) })
  }

  /// Combines each value with the latest value of a signal that cannot fail.
  ///
  /// - Parameters:
  ///   - other: The signal that provides the latest value, for example of a property.
  ///   - transform: Returns the value to send.
  /// - Returns: A signal that fails only with this one.
  @inlinable
  @_disfavoredOverload
  public func withLatest<Other: Sendable, Result: Sendable>(
    from other: some SignalConvertible<Other, Never>,
    transform: @escaping @Sendable (Value, Other) -> Result
  ) -> Signal<Result, Failure> {
    withLatest(from: other.signal.promoteError(to: Failure.self), transform: transform)
  }

  /// Sends each value together with the latest value of a signal that cannot fail.
  ///
  /// - Parameter other: The signal that provides the latest value, for example of a property.
  /// - Returns: A signal of pairs, which fails only with this one.
  @inlinable
  @_disfavoredOverload
  public func withLatest<Other: Sendable>(
    from other: some SignalConvertible<Other, Never>
  ) -> Signal<(Value, Other), Failure> {
    withLatest(from: other.signal.promoteError(to: Failure.self))
  }
}

/// Keeps the latest value of the other signal.
@usableFromInline
struct WithLatest<Value: Sendable, Other: Sendable, Failure: Error, Result: Sendable>:
  JoinLogic
{
  @usableFromInline typealias Input = PairInput<Other, Value, Failure>

  @usableFromInline var latest: Other?
  @usableFromInline let transform: @Sendable (Value, Other) -> Result

  @inlinable
  init(_ transform: @escaping @Sendable (Value, Other) -> Result) {
    self.transform = transform
  }

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Result, Failure>) -> End<Failure>? {
    switch input {
    case .first(let value): latest = value
    case .second(let value): if let latest { observer.onNext(transform(value, latest)) }
    case .end(.completed, isFirst: true): break
    case .end(let end, _): return end
    }
    return nil
  }
}
