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
