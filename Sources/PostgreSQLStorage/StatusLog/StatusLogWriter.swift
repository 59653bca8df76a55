internal import MailingList

/// A writer of status messages that have no position in the log yet.
///
/// Its functions may be called from any thread and must not block.
protocol StatusLogWriter: Sendable {
  /// Records that a batch was committed, or may have been; its messages are waiting for their
  /// positions.
  ///
  /// It is called before the outcomes of the batch are sent.
  func committed()

  /// Adds the messages of an execution that failed here, which are not in any batch.
  func add(_ messages: [StatusPayload])

  /// The status log that the service can follow; `nil` if there is none.
  var log: PostgreSQLStatusLog? { get }
}

extension StatusLogWriter {
  var log: PostgreSQLStatusLog? { nil }
}

/// A status log writer for commands without a follower: the followers of replicas number the stored
/// messages.
struct NoStatusLogWriter: StatusLogWriter {
  func committed() {}

  func add(_ messages: [StatusPayload]) {}
}
