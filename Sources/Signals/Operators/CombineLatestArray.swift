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
  joined(signals) { LatestOfArray<Value, Failure>(count: $0) }
}

/// The latest values of signals of one type.
@usableFromInline
struct LatestOfArray<Value: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline typealias Input = ArrayInput<Value, Failure>

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
    case .end(.failed(let error), _): return .failed(error)
    case .end(.completed, _):
      active -= 1
      return active == 0 ? .completed : nil
    }
  }
}
