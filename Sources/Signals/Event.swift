/// An event of a signal: a value, or its end.
///
/// The events of a subscription follow `next* (failed | completed)?`.
public enum Event<Value: Sendable, Failure: Error>: Sendable {
  /// A value.
  case next(Value)
  /// The end by failure; no event follows.
  case failed(Failure)
  /// The end by completion; no event follows.
  case completed
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}

/// The end of a signal.
///
/// Within the library an observer consists of two closures, one for values and one for the end, so
/// that an operator that does not change the end passes its closure on unwrapped.
public enum End<Failure: Error>: Sendable {
  /// Completion.
  case completed
  /// Failure.
  case failed(Failure)
}

extension End: Equatable where Failure: Equatable {}

extension End {
  /// Whether the signal completed.
  @inlinable var isCompleted: Bool {
    if case .completed = self { true } else { false }
  }

  /// Returns the end as an event of any value type.
  @inlinable
  func event<Value: Sendable>() -> Event<Value, Failure> {
    switch self {
    case .completed: .completed
    case .failed(let error): .failed(error)
    }
  }
}
