internal import MailingList

/// A writer of status messages that have no position in the log yet.
///
/// Its functions may be called from any thread and must not block.
protocol StatusLogWriter: Sendable {
  /// Records that a batch was committed, or may have been: its messages wait for their positions.
  ///
  /// It is called before the outcomes of the batch are sent.
  func committed()

  /// Adds the messages of an execution that failed here, which no batch contains.
  func add(_ messages: [StatusPayload])

  /// The log that this is the writer's end of, if this process follows it.
  var log: PostgreSQLStatusLog? { get }
}

extension StatusLogWriter {
  var log: PostgreSQLStatusLog? { nil }
}

/// Leaves messages to the followers of other replicas, for commands that have none.
struct NoStatusLogWriter: StatusLogWriter {
  func committed() {}

  func add(_ messages: [StatusPayload]) {}
}
