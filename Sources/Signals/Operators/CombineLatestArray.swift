/// Sends the latest values of any number of signals of one type, whenever one of them changes.
///
/// Nothing is sent until all have sent a value. It completes when all have completed, and fails
/// with the first failure.
///
/// ```text
/// source:  1---3--|
/// other:   -2---1|
/// result:  -2--33-|
/// combineLatest([source, other]).map { $0.max() ?? "" }
/// ```
///
/// - Parameter signals: The signals, subscribed in their order. With an empty array the result
///   completes immediately.
/// - Returns: A signal of arrays in the order of the signals.
@inlinable
public func combineLatest<Value: Sendable, Failure: Error>(
  _ signals: [Signal<Value, Failure>]
) -> Signal<[Value], Failure> {
  if signals.isEmpty { return .empty }
  return Signal<[Value], Failure>(attaching: { observer, subscription in
    let join = SerialJoin(
      LatestOfArray<Value, Failure>(count: signals.count),
      to: observer,
      subscription
    )
    for (index, signal) in signals.enumerated() {
      signal.attach(
        Observer(next: { join.submit(.value($0, at: index)) }, end: { join.submit(.end($0)) }),
        into: join
      )
    }
  })
}

/// The latest values of signals of one type.
@usableFromInline
struct LatestOfArray<Value: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline
  enum Input: Sendable {
    case value(Value, at: Int)
    case end(End<Failure>)
  }

  @usableFromInline var latest: [Value?]
  @usableFromInline var missing: Int
  @usableFromInline var active: Int

  @inlinable
  init(count: Int) {
    latest = Array(repeating: nil, count: count)
    missing = count
    active = count
  }

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<[Value], Failure>) -> End<Failure>? {
    switch input {
    case .value(let value, let index):
      if latest[index] == nil { missing -= 1 }
      latest[index] = .some(value)
      if missing == 0 { observer.onNext(latest.compactMap { $0 }) }
      return nil
    case .end(.failed(let error)): return .failed(error)
    case .end(.completed):
      active -= 1
      return active == 0 ? .completed : nil
    }
  }
}
