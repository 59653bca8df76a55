public import Synchronization

extension Signal {
  /// Follows the newest inner signal.
  ///
  /// The previous inner signal is disposed before the new one is subscribed, and none of its values
  /// follows. The result completes when this signal and the newest one have completed; a failure of
  /// either ends it.
  ///
  /// ```text
  /// source:  a--a-----|
  /// other:   x-y-z|
  /// result:  x-yx-y-z-|
  /// source.map { _ in other }.switchToLatest()
  /// ```
  ///
  /// - Returns: A signal of the values of the newest inner signal.
  @inlinable
  public func switchToLatest<Inner: Sendable>() -> Signal<Inner, Failure>
  where Value == Signal<Inner, Failure> {
    flatMapLatest { $0 }
  }

  /// Maps each value to a signal, and follows the newest one.
  ///
  /// ```text
  /// source:  a--a-----|
  /// other:   x-y-z|
  /// result:  x-yx-y-z-|
  /// source.flatMapLatest { _ in other }
  /// ```
  ///
  /// - Parameter transform: Returns the signal for a value; called before the previous signal is
  ///   disposed.
  /// - Returns: The same as `switchToLatest()` of these signals.
  @inlinable
  public func flatMapLatest<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      let latest = Latest(to: observer, subscription)
      self.attach(
        Observer(next: { latest.change(to: transform($0)) }, end: { latest.endOuter($0) }),
        into: latest.join)
    })
  }
}

/// The newest inner signal of one subscription.
@usableFromInline
final class Latest<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var inner: CompositeDisposable?
    @usableFromInline var outerIsOver = false

    @inlinable
    init() {}
  }

  @usableFromInline let state = Lock(State())
  @usableFromInline let newest: NewestNumber
  @usableFromInline let join: SerialJoin<FromLatest<Value, Failure>>

  @inlinable
  init(to observer: Observer<Value, Failure>, _ subscription: CompositeDisposable) {
    let newest = NewestNumber()
    self.newest = newest
    join = SerialJoin(FromLatest(newest), to: observer, subscription)
  }

  @inlinable
  func change(to signal: Signal<Value, Failure>) {
    let inner = CompositeDisposable()
    let (old, number) = state.withLock { state in
      defer { state.inner = inner }
      return (state.inner, newest.advance())
    }
    if let old {
      join.subscription.remove(old)
      old.dispose()
    }
    signal.attach(
      Observer(
        next: { self.join.submit((.next($0), from: number)) },
        end: { self.endInner($0, inner, number) }), into: join, as: inner)
  }

  @inlinable
  func endInner(_ end: End<Failure>, _ inner: CompositeDisposable, _ number: Int) {
    if case .failed(let error) = end {
      join.submit((.failed(error), from: number))
      return
    }
    let isLast = state.withLock { state in
      guard state.inner === inner else { return false }
      state.inner = nil
      return state.outerIsOver
    }
    if isLast { join.submit((.completed, from: nil)) }
  }

  @inlinable
  func endOuter(_ end: End<Failure>) {
    if case .failed(let error) = end {
      join.submit((.failed(error), from: nil))
      return
    }
    let isLast = state.withLock { state in
      state.outerIsOver = true
      return state.inner == nil
    }
    if isLast { join.submit((.completed, from: nil)) }
  }
}

/// The number of the newest inner signal, counted from the first.
@usableFromInline
final class NewestNumber: Sendable {
  @usableFromInline let number = Atomic(0)

  @inlinable
  init() {}

  @inlinable
  func advance() -> Int {
    number.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  @inlinable
  func isNewest(_ other: Int) -> Bool {
    number.load(ordering: .acquiring) == other
  }
}

/// Passes on the events of the inner signal that has not been replaced.
@usableFromInline
struct FromLatest<Value: Sendable, Failure: Error>: JoinLogic {
  /// An event, and the number of its inner signal; `nil` for the outer one.
  @usableFromInline
  typealias Input = (event: Event<Value, Failure>, from: Int?)

  @usableFromInline let newest: NewestNumber

  @inlinable
  init(_ newest: NewestNumber) {
    self.newest = newest
  }

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    if let number = input.from, !newest.isNewest(number) { return nil }
    switch input.event {
    case .next(let value):
      observer.onNext(value)
      return nil
    case .completed: return .completed
    case .failed(let error): return .failed(error)
    }
  }
}
