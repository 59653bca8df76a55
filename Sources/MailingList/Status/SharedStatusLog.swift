package import Signals

/// The status log of a list that several services share, and what a service learns from the others.
///
/// The log contains the messages of executions of all services, in one order: a message has the same
/// position everywhere, also after a restart. A store whose list belongs to one service has no such
/// log; that service keeps its own messages in memory.
///
/// All functions may be called from any thread, and none of them blocks. Unlike those of the log,
/// signals send on the thread that the store chooses for its results.
package protocol SharedStatusLog: Sendable {
  /// Follows the log until the store is closed; called once.
  ///
  /// - Parameters:
  ///   - history: How many of the newest messages are received at the beginning, and how many every
  ///     service keeps; at least 1.
  ///   - receive: Receives the changes, one at a time and in order, on the log's own thread. The
  ///     first one is ``SharedStatusChange/began(epoch:next:reason:)``.
  func follow(history: Int, _ receive: @escaping @Sendable (SharedStatusChange) -> Void)

  /// Adds the messages of an execution that failed, which no service stores.
  ///
  /// - Parameter messages: The messages in order: started, then failed. They may be lost while the
  ///   log cannot be reached.
  func add(_ messages: [StatusPayload])

  /// Reads the log until a position has been received, which another service may have seen.
  ///
  /// - Returns: A cold signal that completes then, or after two seconds.
  func catchUp(to position: UInt64) -> Signal<Never, Never>

  /// Returns the confirmation of a subscription, by whichever service it was received.
  ///
  /// - Parameter time: The time that the confirmation must follow.
  /// - Returns: A cold signal that sends the time of the confirmation within about a second, and
  ///   completes; it does not end before.
  func confirmation(of subscriber: Int64, after time: Timestamp) -> Signal<Timestamp, Never>
}

/// A change of a shared status log.
package enum SharedStatusChange: Hashable, Sendable {
  /// The reason positions do not continue those received before.
  package enum Reason: String, Hashable, Sendable {
    /// The log has lost messages that were already received: positions before are meaningless.
    case epoch
    /// The log no longer contains the messages that follow those received before.
    case expired
  }

  /// The log begins, or begins again: nothing received before belongs to it.
  ///
  /// - Parameter reason: The reason positions do not continue; `nil` at the first time.
  case began(epoch: String, next: UInt64, reason: Reason?)
  /// Messages at the next positions.
  case messages([StatusPayload])
}
