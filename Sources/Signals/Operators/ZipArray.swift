/// Sends the first values of any number of signals of one type, then the second ones, and so on.
///
/// A value waits for its partners. The result completes as soon as one signal has completed and
/// none of its values is waiting; the first failure ends it.
///
/// ```text
/// source:  a-b-c|
/// other:   -x---y|
/// result:  -x---y|
/// zip([source, other]).map { $0.max() ?? "" }
/// ```
///
/// - Parameter signals: The signals, subscribed in their order. With an empty array the result
///   completes immediately.
/// - Returns: A signal of arrays in the order of the signals, as many as the shortest one sends.
@inlinable
public func zip<Value: Sendable, Failure: Error>(
  _ signals: [Signal<Value, Failure>]
) -> Signal<[Value], Failure> {
  joined(signals) { ZippingArray<Value, Failure>(count: $0) }
}

/// The values of signals of one type that are waiting for their partners.
@usableFromInline
struct ZippingArray<Value: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline typealias Input = ArrayInput<Value, Failure>

  @usableFromInline
  struct Line {
    @usableFromInline var values = FIFOQueue<Value>()
    @usableFromInline var isComplete = false

    @inlinable
    init() {}

    @inlinable var isExhausted: Bool { isComplete && values.isEmpty }
  }

  @usableFromInline var lines: [Line]

  @inlinable
  init(count: Int) {
    lines = Array(repeating: Line(), count: count)
  }

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<[Value], Failure>) -> End<Failure>? {
    switch input {
    case .value(let value, let index):
      lines[index].values.append(value)
      if lines.allSatisfy({ !$0.values.isEmpty }) {
        observer.onNext(lines.indices.compactMap { lines[$0].values.popFirst() })
      }
    case .end(.failed(let error), _): return .failed(error)
    case .end(.completed, let index): lines[index].isComplete = true
    }
    return lines.contains { $0.isExhausted } ? .completed : nil
  }
}
