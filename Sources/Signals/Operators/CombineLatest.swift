/// Combines the latest values of two signals with a function, whenever one of them changes.
///
/// Nothing is sent until both have sent a value. It completes when both have completed, and fails
/// with the first failure.
///
/// ```swift
/// let mayLogIn = combineLatest(userNameIsValid, passwordIsValid) { $0 && $1 }
/// ```
///
/// ```text
/// source:  1---3--|
/// other:   -2---1|
/// result:  -2--33-|
/// combineLatest(source, other) { max($0, $1) }
/// ```
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second. It may be the same signal, which is then subscribed twice.
///   - transform: Returns the value to send.
/// - Returns: A signal whose events have one order, whichever threads the two send on.
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  joined(first, second) { LatestTwo<First, Second, Failure, Result>(transform) }
}

/// Sends the latest values of two signals, whenever one of them changes.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
/// - Returns: A signal of pairs, otherwise the same as `combineLatest` with a function.
@inlinable
public func combineLatest<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>
) -> Signal<(First, Second), Failure> {
  combineLatest(first, second, transform: { ($0, $1) })
}

/// Combines the latest values of three or more signals with a function, whenever one of them
/// changes.
///
/// Nothing is sent until all have sent a value. It completes when all have completed, and fails
/// with the first failure.
///
/// ```text
/// source:  1---3--|
/// other:   -2---1|
/// result:  -2--3(33)-|
/// combineLatest(source, other, other) { max($0, max($1, $2)) }
/// ```
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - third: Subscribed third.
///   - more: Any number of others, subscribed in their order.
///   - transform: Returns the value to send.
/// - Returns: A signal whose events have one order, whichever threads they send on.
@inlinable
public func combineLatest<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  each More: Sendable,
  Failure: Error,
  Result: Sendable
>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>,
  _ third: Signal<Third, Failure>, _ more: repeat Signal<each More, Failure>,
  transform: @escaping @Sendable (First, Second, Third, repeat each More) -> Result
) -> Signal<Result, Failure> {
  latest(first, second, third, repeat each more, transform: transform)
}

/// Sends the latest values of three or more signals, whenever one of them changes.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - third: Subscribed third.
///   - more: Any number of others, subscribed in their order.
/// - Returns: A signal of tuples, otherwise the same as `combineLatest` with a function.
@inlinable
public func combineLatest<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  each More: Sendable,
  Failure: Error
>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>,
  _ third: Signal<Third, Failure>, _ more: repeat Signal<each More, Failure>
) -> Signal<(First, Second, Third, repeat each More), Failure> {
  latest(first, second, third, repeat each more) {
    (first: First, second: Second, third: Third, more: repeat each More) in
    (first, second, third, repeat each more)
  }
}

/// Combines any number of signals.
@inlinable
func latest<each Value: Sendable, Failure: Error, Result: Sendable>(
  _ signal: repeat Signal<each Value, Failure>,
  transform: @escaping @Sendable (repeat each Value) -> Result
) -> Signal<Result, Failure> {
  Signal<Result, Failure>(attaching: { observer, subscription in
    var count = 0
    for _ in repeat each signal { count += 1 }
    let slots = (repeat Slot<each Value>())
    let join = SerialJoin(
      LatestOfMany<Result, Failure>(count: count) {
        guard let values = try? (repeat (each slots).filled()) else { return nil }
        return transform(repeat each values)
      },
      to: observer,
      subscription
    )
    for (signal, slot) in repeat (each signal, each slots) {
      signal.attach(
        Observer(
          next: { value in join.submit(.change { slot.value = value }) },
          end: { join.submit(.end($0)) }), into: join)
    }
  })
}

/// The latest values of two signals.
@usableFromInline
struct LatestTwo<First: Sendable, Second: Sendable, Failure: Error, Value: Sendable>: JoinLogic {
  @usableFromInline typealias Input = PairInput<First, Second, Failure>

  @usableFromInline var first: First?
  @usableFromInline var second: Second?
  @usableFromInline var active = 2
  @usableFromInline let transform: @Sendable (First, Second) -> Value

  @inlinable
  init(_ transform: @escaping @Sendable (First, Second) -> Value) {
    self.transform = transform
  }

  @inline(__always)
  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .first(let value): first = value
    case .second(let value): second = value
    case .end(.failed(let error), _): return .failed(error)
    case .end(.completed, _):
      active -= 1
      return active == 0 ? .completed : nil
    }
    if let first, let second { observer.onNext(transform(first, second)) }
    return nil
  }
}

/// The latest values of any number of signals, in slots of their own types.
@usableFromInline
struct LatestOfMany<Value: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline
  enum Input: Sendable {
    case change(@Sendable () -> Void)
    case end(End<Failure>)
  }

  @usableFromInline var active: Int
  @usableFromInline let combined: @Sendable () -> Value?

  @inlinable
  init(count: Int, _ combined: @escaping @Sendable () -> Value?) {
    active = count
    self.combined = combined
  }

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .change(let store):
      store()
      if let value = combined() { observer.onNext(value) }
      return nil
    case .end(.failed(let error)): return .failed(error)
    case .end(.completed):
      active -= 1
      return active == 0 ? .completed : nil
    }
  }
}

/// The latest value of one signal.
@usableFromInline
final class Slot<Value: Sendable>: Sendable {
  // nonisolated(unsafe) because only the owner of the join's gate touches it, and without
  // exclusivity checks for the same reason.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var value: Value?

  @inlinable
  init() {}

  @inlinable
  func filled() throws -> Value {
    guard let value else { throw NothingYet() }
    return value
  }
}

/// The error of an empty slot, so that one `try?` checks all of them.
@usableFromInline
struct NothingYet: Error {
  @inlinable
  init() {}
}
