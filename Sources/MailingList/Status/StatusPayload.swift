/// What a log keeps of a status message; it does not reveal whose it is.
///
/// The format is that of the column `payloads` in PostgreSQL.
package struct StatusPayload: RawRepresentable, Hashable, Sendable {
  /// Milliseconds since 1970, shifted left by two, and the number of the message.
  package let rawValue: Int64

  /// Creates a payload from its stored value.
  package init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}

extension StatusPayload {
  /// Creates the payload of a message.
  package init(_ message: StatusMessage, at time: Timestamp) {
    let number: Int64 =
      switch message {
      case .started: 0
      case .completed: 1
      case .failed: 2
      }
    rawValue = time.millisecondsSince1970 << 2 | number
  }

  /// The message; `nil` for a number that a later release may use.
  package var message: StatusMessage? {
    switch rawValue & 3 {
    case 0: .started
    case 1: .completed
    case 2: .failed
    default: nil
    }
  }

  /// The time of the message.
  package var time: Timestamp { Timestamp(millisecondsSince1970: rawValue >> 2) }

  /// Creates the messages of an execution that failed.
  ///
  /// - Parameter execution: The execution, which began when its id was made.
  package static func failure(
    of execution: ExecutionID,
    at time: Timestamp
  ) -> [StatusPayload] {
    [StatusPayload(.started, at: execution.madeAt), StatusPayload(.failed, at: time)]
  }
}
