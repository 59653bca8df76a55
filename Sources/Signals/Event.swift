/// What a signal sends: a value, or its end.
///
/// The events of a subscription follow `next* (failed | completed)?`.
public enum Event<Value: Sendable, Failure: Error>: Sendable {
  /// A value.
  case next(Value)
  /// The end, because of an error; nothing follows.
  case failed(Failure)
  /// The regular end; nothing follows.
  case completed
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}

/// How a signal ended.
///
/// Inside the library an observer is two closures, one for values and one for the end, so that an
/// operator that leaves the end alone passes it on without wrapping it.
public enum End<Failure: Error>: Sendable {
  /// The regular end.
  case completed
  /// The end because of an error.
  case failed(Failure)
}

extension End: Equatable where Failure: Equatable {}

extension End {
  /// Whether it is the regular end.
  @inlinable var isCompleted: Bool {
    if case .completed = self { true } else { false }
  }

  /// The end as an event of a signal of any value.
  @inlinable
  func event<Value: Sendable>() -> Event<Value, Failure> {
    switch self {
    case .completed: .completed
    case .failed(let error): .failed(error)
    }
  }
}
