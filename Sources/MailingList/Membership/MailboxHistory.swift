/// The times of the latest mails to a mailbox, on which its budget depends.
///
/// Addresses of one person, such as `ana@example.org` and `ana+1@example.org`, share a mailbox. Two
/// histories are stored for it: one of the mails to the address without a subaddress, and one of
/// those to all addresses with one.
package struct MailboxHistory: Hashable, Sendable {
  /// The maximum number of times: the largest budget.
  package static let capacity = MailGrant.budgets.map(\.count).max() ?? 0

  /// The times, the latest first, at most ``capacity``.
  package let times: [Timestamp]

  /// Creates a history from times in any order; only the latest ``capacity`` remain.
  package init(_ times: [Timestamp] = []) {
    self.times = Array(times.sorted(by: >).prefix(Self.capacity))
  }

  /// Creates the history that the budget of the next mail to an address uses.
  ///
  /// All mails to the mailbox count. But strangers can spend its budget with subaddresses, which
  /// the relay may even reject, and the owner of the address without one would wait in vain. So the
  /// first mail of a day to that address depends only on the mails to it.
  package init(own: MailboxHistory, other: MailboxHistory, of mailbox: [UInt8], at now: Timestamp) {
    let isFirst = own.count(within: MailGrant.firstMailPeriod, before: now) == 0
    self = isFirst && !Self.hasSubaddress(mailbox) ? own : MailboxHistory(own.times + other.times)
  }

  /// Returns whether a hash of a mailbox is that of the addresses with a subaddress.
  package static func hasSubaddress(_ mailbox: [UInt8]) -> Bool { mailbox.count > hashLength }

  /// The number of bytes with which both hashes of a mailbox begin.
  package static let hashLength = 32

  /// Returns the history after one more mail.
  package func adding(_ time: Timestamp) -> MailboxHistory {
    MailboxHistory(times + [time])
  }

  /// Returns the history without a mail that was not delivered; `nil` if there was no mail at that
  /// time.
  package func removing(_ time: Timestamp) -> MailboxHistory? {
    guard let index = times.firstIndex(of: time) else { return nil }
    var times = times
    times.remove(at: index)
    return MailboxHistory(times)
  }

  /// Returns the number of mails within a duration, and after `start`, if given.
  ///
  /// A mail whose time is in the future, because the clock was set back, counts.
  package func count(
    within duration: Duration, before now: Timestamp, after start: Timestamp? = nil
  ) -> Int {
    let earliest = now.adding(.zero - duration)
    return times.count { $0 > earliest && $0 > start ?? .distantPast }
  }
}
