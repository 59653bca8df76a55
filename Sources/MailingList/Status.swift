package import Platform

/// A message of the status line, with the text of the original app.
package enum StatusMessage: String, Hashable, Sendable {
  /// An execution was accepted.
  case started = "Sending request..."
  /// The sign-up is stored.
  case completed = "Thanks"
  /// The sign-up was not stored; "Thanks" does not follow.
  case failed = "Error :("

  /// The machine-readable state of the execution after this message.
  package var state: String {
    switch self {
    case .started: "executing"
    case .completed: "completed"
    case .failed: "failed"
    }
  }
}

/// A status message of one execution.
package struct StatusEvent: Hashable, Sendable {
  /// The execution that sent the message; never shown on a public stream.
  package let execution: ExecutionID
  package let message: StatusMessage
  package let time: Timestamp

  package init(execution: ExecutionID, message: StatusMessage, time: Timestamp) {
    self.execution = execution
    self.message = message
    self.time = time
  }
}

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

/// The counters of executions by outcome.
///
/// The handles are created once; counting is one atomic addition.
package struct ExecutionMetrics: Sendable {
  private let completed: Counter
  private let failed: Counter
  private let conflicts: Counter

  package init(_ registry: MetricRegistry = MetricRegistry()) {
    func counter(_ outcome: String) -> Counter {
      registry.counter("enlist_executions_total", [.init("outcome", outcome)])
    }
    completed = counter("completed")
    failed = counter("failed")
    conflicts = registry.counter("enlist_execution_conflicts_total")
  }

  /// Counts an execution by its last message.
  func count(_ message: StatusMessage) {
    switch message {
    case .started: break
    case .completed: completed.increment()
    case .failed: failed.increment()
    }
  }

  /// Counts a request for a command that was executing.
  func countConflict() {
    conflicts.increment()
  }
}
