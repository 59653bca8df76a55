internal import MailingList

/// What the log keeps of a status message; it does not reveal whose it is.
struct StatusPayload: RawRepresentable, Hashable, Sendable {
  /// Milliseconds since 1970, shifted left by two, and the number of the message.
  let rawValue: Int64
}

extension StatusPayload {
  /// Creates the payload of a message.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - time: The time of the message.
  init(_ message: StatusMessage, at time: Timestamp) {
    let number: Int64 =
      switch message {
      case .started: 0
      case .completed: 1
      case .failed: 2
      }
    rawValue = time.millisecondsSince1970 << 2 | number
  }

  /// The message; `nil` for a number that a later release may use.
  var message: StatusMessage? {
    switch rawValue & 3 {
    case 0: .started
    case 1: .completed
    case 2: .failed
    default: nil
    }
  }

  /// The time of the message.
  var time: Timestamp { Timestamp(millisecondsSince1970: rawValue >> 2) }

  /// Creates the messages of an execution that failed.
  ///
  /// - Parameters:
  ///   - execution: The execution, which began when its id was made.
  ///   - time: The time of the failure.
  /// - Returns: Started, then failed.
  static func failure(of execution: ExecutionID, at time: Timestamp) -> [StatusPayload] {
    [StatusPayload(.started, at: execution.madeAt), StatusPayload(.failed, at: time)]
  }
}
