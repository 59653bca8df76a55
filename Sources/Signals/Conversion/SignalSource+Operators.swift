// The operators that subjects and properties need most, by their own name.

extension SignalSource {
  /// Maps each value, see ``Signal/map(_:)``.
  @inlinable
  public func map<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> NewValue
  ) -> Signal<NewValue, Failure> {
    signal.map(transform)
  }

  /// Sends only the values that pass a test, see ``Signal/filter(_:)``.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value, Failure> {
    signal.filter(isIncluded)
  }

  /// Maps each value, and leaves out `nil`, see ``Signal/compactMap(_:)``.
  @inlinable
  public func compactMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> NewValue?
  ) -> Signal<NewValue, Failure> {
    signal.compactMap(transform)
  }

  /// Maps each value to a signal, and merges these signals.
  @inlinable
  public func flatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    signal.flatMap(transform)
  }

  /// Maps each value to a signal, and sends their values, one signal after the other.
  @inlinable
  public func concatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    signal.concatMap(transform)
  }

  /// Maps each value to a signal, and follows the newest one.
  @inlinable
  public func flatMapLatest<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    signal.flatMapLatest(transform)
  }

  /// Maps a value to a signal, unless the previous one is still running.
  @inlinable
  public func exhaustMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    signal.exhaustMap(transform)
  }

  /// Combines each value with the result so far, see ``Signal/scan(_:_:)``.
  @inlinable
  public func scan<Result: Sendable>(
    _ initial: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    signal.scan(initial, combine)
  }

  /// Sends only the first values, see ``Signal/take(_:)``.
  @inlinable
  public func take(_ count: Int) -> Signal<Value, Failure> {
    signal.take(count)
  }

  /// Leaves out the first values, see ``Signal/skip(_:)``.
  @inlinable
  public func skip(_ count: Int) -> Signal<Value, Failure> {
    signal.skip(count)
  }

  /// Sends a value first, see ``Signal/startWith(_:)``.
  @inlinable
  public func startWith(_ value: Value) -> Signal<Value, Failure> {
    signal.startWith(value)
  }

  /// Sends a value once no other has arrived for a timespan, see ``Signal/debounce(for:on:)``.
  @inlinable
  public func debounce(for quiet: Duration, on scheduler: some Scheduler) -> Signal<Value, Failure>
  {
    signal.debounce(for: quiet, on: scheduler)
  }

  /// Sends at most one value in each interval, see ``Signal/throttle(for:latest:on:)``.
  @inlinable
  public func throttle(
    for interval: Duration, latest: Bool = true, on scheduler: some Scheduler
  ) -> Signal<Value, Failure> {
    signal.throttle(for: interval, latest: latest, on: scheduler)
  }

  /// Delivers every event on a scheduler, see ``Signal/deliver(on:)``.
  @inlinable
  public func deliver(on scheduler: some Scheduler) -> Signal<Value, Failure> {
    signal.deliver(on: scheduler)
  }

  /// Merges the signal with another one, see `merge(with:)` of ``Signal``.
  @inlinable
  public func merge(with other: some SignalConvertible<Value, Failure>) -> Signal<Value, Failure> {
    signal.merge(with: other.signal)
  }

  /// Combines each value with the latest one of another signal, see `withLatest` of ``Signal``.
  @inlinable
  public func withLatest<Other: Sendable, Result: Sendable>(
    from other: some SignalConvertible<Other, Never>,
    transform: @escaping @Sendable (Value, Other) -> Result
  ) -> Signal<Result, Failure> {
    signal.withLatest(from: other, transform: transform)
  }

  /// Sends each value with the latest one of another signal, see `withLatest` of ``Signal``.
  @inlinable
  public func withLatest<Other: Sendable>(
    from other: some SignalConvertible<Other, Never>
  ) -> Signal<(Value, Other), Failure> {
    signal.withLatest(from: other)
  }

  /// Subscribes closures, see ``Signal/subscribe(next:failed:completed:)``.
  @inlinable
  @discardableResult
  public func subscribe(
    next: @escaping @Sendable (Value) -> Void = { _ in },
    failed: (@Sendable (Failure) -> Void)? = nil, completed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    signal.subscribe(next: next, failed: failed, completed: completed)
  }

  /// The values, as an asynchronous sequence, see ``Signal/values``.
  public var values: SignalValues<Value, Failure> { signal.values }

  /// Waits for the first value, see ``Signal/first()``.
  public func first() async throws(Failure) -> Value? {
    try await signal.first()
  }

  /// Subscribes closures that run on the actor of the caller, see `observe` of ``Signal``.
  @discardableResult
  public func observe(
    isolation actor: isolated any Actor = #isolation, next: @escaping (Value) -> Void = { _ in },
    failed: ((Failure) -> Void)? = nil, completed: (() -> Void)? = nil
  ) -> any Disposable {
    signal.observe(isolation: actor, next: next, failed: failed, completed: completed)
  }
}

extension SignalSource where Value: Equatable {
  /// Leaves out values that equal the previous one, see ``Signal/distinctUntilChanged()``.
  @inlinable
  public func distinctUntilChanged() -> Signal<Value, Failure> {
    signal.distinctUntilChanged()
  }
}

extension SignalSource where Failure == Never {
  /// Maps each value to a signal that can fail, and merges these signals.
  @_disfavoredOverload
  @inlinable
  public func flatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    signal.flatMap(transform)
  }

  /// Maps each value to a signal that can fail, and sends their values, one after the other.
  @_disfavoredOverload
  @inlinable
  public func concatMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    signal.concatMap(transform)
  }

  /// Maps each value to a signal that can fail, and follows the newest one.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    signal.flatMapLatest(transform)
  }

  /// Maps a value to a signal that can fail, unless the previous one is still running.
  @_disfavoredOverload
  @inlinable
  public func exhaustMap<NewValue: Sendable, NewFailure: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, NewFailure>
  ) -> Signal<NewValue, NewFailure> {
    signal.exhaustMap(transform)
  }
}
