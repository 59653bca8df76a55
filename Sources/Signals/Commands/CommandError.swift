/// The error of an execution.
public enum CommandError<Failure: Error>: Error {
  /// The execution was rejected: no work was made, and no observer was notified.
  case notEnabled(NotEnabledError)
  /// The work failed.
  case failed(Failure)
}

extension CommandError: Equatable where Failure: Equatable {}

/// The reason why a command rejected an execution.
public enum NotEnabledError: Error, Hashable, Sendable {
  /// The latest value of its `enabled` signal is `false`.
  case disabled
  /// An execution is in flight, and concurrent execution is not allowed.
  case executing
}
