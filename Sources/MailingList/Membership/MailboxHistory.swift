/// The times of the latest mails to a mailbox, as the budget needs them.
///
/// Addresses of one person, such as `ana+1@example.org` and `ana+2@example.org`, share a mailbox.
package struct MailboxHistory: Hashable, Sendable {
  /// The number of times that are kept: the largest budget.
  package static let capacity = 5

  /// The times, the latest first, at most ``capacity``.
  package let times: [Timestamp]

  /// Creates a history.
  ///
  /// - Parameter times: The times in any order; only the latest are kept.
  package init(_ times: [Timestamp] = []) {
    self.times = Array(times.sorted(by: >).prefix(Self.capacity))
  }

  /// Returns the history after one more mail.
  ///
  /// - Parameter time: The time of the mail.
  /// - Returns: The history.
  package func adding(_ time: Timestamp) -> MailboxHistory {
    MailboxHistory(times + [time])
  }

  /// Returns the number of mails within a duration, and after a time.
  ///
  /// A mail that seems to be in the future, because the clock was set back, counts.
  ///
  /// - Parameters:
  ///   - duration: How far back mails count.
  ///   - now: The current time.
  ///   - start: Only mails after this time count, if there is one.
  /// - Returns: At most ``capacity``.
  package func count(
    within duration: Duration,
    before now: Timestamp,
    after start: Timestamp? = nil
  ) -> Int {
    let earliest = now.adding(.zero - duration)
    return times.count { $0 > earliest && $0 > start ?? .distantPast }
  }
}
