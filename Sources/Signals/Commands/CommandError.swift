/// Why an execution gave no (further) value.
public enum CommandError<Failure: Error>: Error {
  /// It was refused: the work was not made, and nothing was observed of it.
  case notEnabled(NotEnabledError)
  /// The work failed.
  case failed(Failure)
}

extension CommandError: Equatable where Failure: Equatable {}

/// Why a command refused to execute.
public enum NotEnabledError: Error, Hashable, Sendable {
  /// Its `enabled` signal said no.
  case disabled
  /// An execution is in flight, and concurrent execution is not allowed.
  case executing
}
