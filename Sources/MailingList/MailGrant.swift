/// The purpose of a mail that a sign-up causes; the raw value is the stored one.
package enum MailKind: Int64, Hashable, Sendable, CaseIterable {
  /// Asks the owner of the address to confirm the subscription.
  case confirm = 1
  /// Reports that the address is already on the list.
  case already = 2

  /// The name in file names and templates.
  package var name: String {
    switch self {
    case .confirm: "confirm"
    case .already: "already"
    }
  }
}

/// The decision about a mail that is due.
package enum MailGrant: Hashable, Sendable {
  /// The mail is no longer wanted: it is deleted.
  case drop
  /// The budget of the mailbox is spent: the mail is deleted, and counted.
  case withhold
  /// The budget of the domain or of the service is spent: the mail waits for room.
  case hold
  /// The mail is sent; the mailbox is charged, unless the mail was granted before.
  case send

  /// A number of mails that a mailbox may get within a duration.
  package struct Budget: Hashable, Sendable {
    package let count: Int
    package let duration: Duration
  }

  /// The budgets of a mailbox; mails before the subscriber's last confirmation do not count.
  package static let budgets = [
    Budget(count: 1, duration: .seconds(600)),
    Budget(count: 3, duration: .seconds(86_400)),
    Budget(count: 5, duration: .seconds(7 * 86_400)),
  ]

  /// The time after a mail in which no further mail to an address without a subaddress counts as
  /// the first.
  package static let firstMailPeriod: Duration = .seconds(86_400)
  /// The time after any mail in which no ``MailKind/already`` is sent.
  package static let alreadyPause: Duration = .seconds(86_400)
  /// The time after any mail in which no mail is sent to a bounced address.
  package static let bouncePause: Duration = .seconds(30 * 86_400)

  /// Decides about a mail at the time when a relay claims it.
  ///
  /// The mailbox has already been charged for a mail that was granted before.
  ///
  /// - Parameter hasRoom: Whether ``MailBudgets`` leave room for the mail.
  package init(
    _ kind: MailKind, createdAt: Timestamp, isGranted: Bool, membership: Membership,
    mailbox: MailboxHistory, hasRoom: Bool = true, now: Timestamp
  ) {
    guard Self.isWanted(kind, createdAt: createdAt, membership: membership) else {
      self = .drop
      return
    }
    if isGranted {
      self = .send
      return
    }
    let isSpent = Self.budgets.contains { budget in
      mailbox.count(within: budget.duration, before: now, after: membership.confirmedAt)
        >= budget.count
    }
    let isPaused = Self.pause(of: kind, to: membership)
      .map { mailbox.count(within: $0, before: now) > 0 }
    if isSpent || isPaused == true {
      self = .withhold
    } else {
      self = hasRoom ? .send : .hold
    }
  }

  private static func isWanted(
    _ kind: MailKind, createdAt: Timestamp, membership: Membership
  ) -> Bool {
    if let endedAt = membership.endedAt, createdAt < endedAt { return false }
    return switch (membership.state, kind) {
    case (nil, _): false
    case (.subscribed, .confirm): false
    case (.subscribed, .already): true
    case (.pending, .confirm), (.unsubscribed, .confirm): true
    case (.suppressed, .confirm): membership.suppression?.endsWithConfirmation ?? false
    case (.pending, .already), (.unsubscribed, .already), (.suppressed, .already): false
    }
  }

  /// Returns the time for which any mail to the mailbox withholds this one.
  private static func pause(of kind: MailKind, to membership: Membership) -> Duration? {
    switch (membership.suppression, kind) {
    case (.hardBounce, _): bouncePause
    case (nil, .already), (.complaint, .already), (.operator, .already), (.objected, .already):
      alreadyPause
    case (nil, .confirm), (.complaint, .confirm), (.operator, .confirm), (.objected, .confirm):
      nil
    }
  }
}

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

/// A limit of the mails that sign-ups cause within a period, which moves in steps of an hour.
package struct MailBudget: Hashable, Sendable {
  /// The number of mails without a confirmation, 1 or more, at which further ones are held.
  package let count: Int
  /// The period, one hour or longer.
  package let period: Duration

  package init(count: Int, per period: Duration) {
    self.count = count
    self.period = period
  }

  /// Returns the last hour before the period that ends at a time.
  package func end(at now: Timestamp) -> Int64 { now.hour - period.components.seconds / 3600 }
}

/// The budgets of a service, beside those of each mailbox (``MailGrant/budgets``).
package struct MailBudgets: Hashable, Sendable {
  /// The budget of all mails; `nil` does not limit them.
  package var all: MailBudget?
  /// The budget of each domain that is not known; `nil` does not limit them.
  package var perDomain: MailBudget?

  package init(all: MailBudget? = nil, perDomain: MailBudget? = nil) {
    self.all = all
    self.perDomain = perDomain
  }

  /// The time after which a held mail expires.
  package static let maximumHold: Duration = .seconds(86_400)
  /// The time for which mails are counted.
  package static let countedPeriod: Duration = .seconds(7 * 86_400)
  /// The maximum number of a day's confirmations at a domain that is not known that count for
  /// ``all``: nobody can gain mails to others by a domain of their own.
  package static let countedConfirmations = 20
}

/// The outcomes of the mails of a period.
package struct MailCounts: Hashable, Sendable {
  package var sent = 0
  package var confirmed = 0
  /// The number of mails that were rejected for their mailbox.
  package var rejected = 0
  package var complaints = 0

  /// The part of a budget that is used: each mail without a confirmation counts.
  ///
  /// A confirmation makes up for three more, so a list of which one in four confirms has no limit.
  /// A rejected mail counts five times and a complaint fifty times, because mail providers judge
  /// senders by them.
  package var load: Int {
    max(sent - 4 * confirmed + 4 * rejected + 49 * complaints, 0)
  }

  package static func + (left: MailCounts, right: MailCounts) -> MailCounts {
    MailCounts(
      sent: left.sent + right.sent, confirmed: left.confirmed + right.confirmed,
      rejected: left.rejected + right.rejected, complaints: left.complaints + right.complaints)
  }
}

extension Timestamp {
  /// The number of whole hours since 1970.
  package var hour: Int64 { millisecondsSince1970 / 3_600_000 }
}
