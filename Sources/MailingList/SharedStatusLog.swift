package import Signals

/// The status log of a list that several services share, and the changes that it receives from
/// them.
///
/// The log contains the messages of the executions of all services, in one order: a message has the
/// same position everywhere, also after a restart. A store whose list belongs to one service has no
/// such log; that service has its own messages in memory.
///
/// All functions may be called from any thread, and none of them blocks. Unlike those of the log,
/// signals send on the thread that the store chooses for its results.
package protocol SharedStatusLog: Sendable {
  /// Follows the log until the store is closed; called once.
  ///
  /// - Parameters:
  ///   - history: The number of the newest messages that are received at the beginning, and that
  ///     every service retains; at least 1.
  ///   - receive: Receives the changes, one at a time and in order, on the log's own thread. The
  ///     first one is ``SharedStatusChange/began(epoch:next:reason:)``.
  func follow(history: Int, _ receive: @escaping @Sendable (SharedStatusChange) -> Void)

  /// Adds the messages of a failed execution, started and failed, which no service stores.
  ///
  /// They may be lost while the log is unreachable.
  func add(_ messages: [StatusPayload])

  /// Reads the log until a position has been received that another service may already have sent.
  ///
  /// The signal is cold and completes then, or after two seconds.
  func catchUp(to position: UInt64) -> Signal<Never, Never>

  /// Returns the confirmation of a subscription after a time, whichever service received it.
  ///
  /// The signal is cold; it sends the time of the confirmation within about a second, and
  /// completes. It does not end before.
  func confirmation(of subscriber: Int64, after time: Timestamp) -> Signal<Timestamp, Never>
}

/// A change of a shared status log.
package enum SharedStatusChange: Hashable, Sendable {
  /// The reason why positions do not continue those received before.
  package enum Reason: String, Hashable, Sendable {
    /// The log has lost messages that were already received: earlier positions are meaningless.
    case epoch
    /// The log no longer contains the messages that follow those received before.
    case expired
  }

  /// The log begins, or begins again: nothing received before belongs to it.
  ///
  /// `reason` explains why positions do not continue; `nil` the first time.
  case began(epoch: String, next: UInt64, reason: Reason?)
  /// Messages at the next positions.
  case messages([StatusPayload])
}
