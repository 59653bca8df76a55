/// The logged form of a status message, without its execution.
///
/// The format is that of the column `payloads` in PostgreSQL.
package struct StatusPayload: RawRepresentable, Hashable, Sendable {
  /// The milliseconds since 1970, shifted left by two, and the number of the message.
  package let rawValue: Int64

  package init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}

extension StatusPayload {
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

  package var time: Timestamp { Timestamp(millisecondsSince1970: rawValue >> 2) }

  /// Creates the messages of a failed execution, which began when its id was created.
  package static func failure(of execution: ExecutionID, at time: Timestamp) -> [StatusPayload] {
    [StatusPayload(.started, at: execution.madeAt), StatusPayload(.failed, at: time)]
  }
}
