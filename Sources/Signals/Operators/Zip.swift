/// Combines the first values of two signals with a function, then the second ones, and so on.
///
/// A value waits for its partner. The result completes as soon as one signal has completed and none
/// of its values is waiting; the first failure ends it.
///
/// ```text
/// source:  a-b-c|
/// other:   -x---y|
/// result:  -x---y|
/// zip(source, other) { max($0, $1) }
/// ```
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - transform: Returns the value to send.
/// - Returns: A signal of as many values as the shorter one sends.
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error, Result: Sendable>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>,
  transform: @escaping @Sendable (First, Second) -> Result
) -> Signal<Result, Failure> {
  joined(first, second) { Zipping<First, Second, Failure, Result>(transform) }
}

/// Sends the first values of two signals as a pair, then the second ones, and so on.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
/// - Returns: A signal of pairs, otherwise the same as `zip` with a function.
@inlinable
public func zip<First: Sendable, Second: Sendable, Failure: Error>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>
) -> Signal<(First, Second), Failure> {
  zip(first, second, transform: { ($0, $1) })
}

/// Combines the first values of three or more signals with a function, then the second ones, and so
/// on.
///
/// ```text
/// source:  a-b-c|
/// other:   -x---y|
/// result:  -x---y|
/// zip(source, other, other) { max($0, max($1, $2)) }
/// ```
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - third: Subscribed third.
///   - more: Any number of others, subscribed in their order.
///   - transform: Returns the value to send.
/// - Returns: A signal of as many values as the shortest one sends.
@inlinable
public func zip<
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
  zipped(first, second, third, repeat each more, transform: transform)
}

/// Sends the first values of three or more signals as a tuple, then the second ones, and so on.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - third: Subscribed third.
///   - more: Any number of others, subscribed in their order.
/// - Returns: A signal of tuples, otherwise the same as `zip` with a function.
@inlinable
public func zip<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  each More: Sendable,
  Failure: Error
>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>,
  _ third: Signal<Third, Failure>, _ more: repeat Signal<each More, Failure>
) -> Signal<(First, Second, Third, repeat each More), Failure> {
  zipped(first, second, third, repeat each more) {
    (first: First, second: Second, third: Third, more: repeat each More) in
    (first, second, third, repeat each more)
  }
}

/// Zips any number of signals.
@inlinable
func zipped<each Value: Sendable, Failure: Error, Result: Sendable>(
  _ signal: repeat Signal<each Value, Failure>,
  transform: @escaping @Sendable (repeat each Value) -> Result
) -> Signal<Result, Failure> {
  Signal<Result, Failure>(attaching: { observer, subscription in
    let lines = (repeat Line<each Value>())
    let join = SerialJoin(
      ZippingMany<Result, Failure>(
        take: {
          var isComplete = true
          for line in repeat each lines { isComplete = isComplete && !line.values.isEmpty }
          guard isComplete, let values = try? (repeat (each lines).takeFirst()) else { return nil }
          return transform(repeat each values)
        },
        isExhausted: {
          var isExhausted = false
          for line in repeat each lines { isExhausted = isExhausted || line.isExhausted }
          return isExhausted
        }
      ),
      to: observer,
      subscription
    )
    for (signal, line) in repeat (each signal, each lines) {
      signal.attach(
        Observer(
          next: { value in join.submit(.change { line.values.append(value) }) },
          end: { end in
            switch end {
            case .completed: join.submit(.change { line.isComplete = true })
            case .failed(let error): join.submit(.failed(error))
            }
          }
        ),
        into: join
      )
    }
  })
}

/// The values of two signals that are waiting for their partners.
@usableFromInline
struct Zipping<First: Sendable, Second: Sendable, Failure: Error, Value: Sendable>:
  JoinLogic
{
  @usableFromInline typealias Input = PairInput<First, Second, Failure>

  @usableFromInline var firsts = FIFOQueue<First>()
  @usableFromInline var seconds = FIFOQueue<Second>()
  @usableFromInline var firstIsOver = false
  @usableFromInline var secondIsOver = false
  @usableFromInline let transform: @Sendable (First, Second) -> Value

  @inlinable
  init(_ transform: @escaping @Sendable (First, Second) -> Value) {
    self.transform = transform
  }

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .first(let value): firsts.append(value)
    case .second(let value): seconds.append(value)
    case .end(.completed, isFirst: true): firstIsOver = true
    case .end(.completed, isFirst: false): secondIsOver = true
    case .end(.failed(let error), _): return .failed(error)
    }
    if !firsts.isEmpty, let second = seconds.popFirst(), let first = firsts.popFirst() {
      observer.onNext(transform(first, second))
    }
    let isExhausted = firstIsOver && firsts.isEmpty || secondIsOver && seconds.isEmpty
    return isExhausted ? .completed : nil
  }
}

/// The waiting values of any number of signals, in queues of their own types.
@usableFromInline
struct ZippingMany<Value: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline
  enum Input: Sendable {
    case change(@Sendable () -> Void)
    case failed(Failure)
  }

  @usableFromInline let take: @Sendable () -> Value?
  @usableFromInline let isExhausted: @Sendable () -> Bool

  @inlinable
  init(take: @escaping @Sendable () -> Value?, isExhausted: @escaping @Sendable () -> Bool) {
    self.take = take
    self.isExhausted = isExhausted
  }

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .change(let change):
      change()
      if let value = take() { observer.onNext(value) }
      return isExhausted() ? .completed : nil
    case .failed(let error):
      return .failed(error)
    }
  }
}

/// The waiting values of one signal.
@usableFromInline
final class Line<Value: Sendable>: Sendable {
  // nonisolated(unsafe), and without exclusivity checks, because only the owner of the join's gate
  // uses it.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var values = FIFOQueue<Value>()
  // nonisolated(unsafe), and without exclusivity checks, like `values`.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var isComplete = false

  @inlinable
  init() {}

  @inlinable var isExhausted: Bool { isComplete && values.isEmpty }

  @inlinable
  func takeFirst() throws -> Value {
    guard let value = values.popFirst() else { throw NothingYet() }
    return value
  }
}
