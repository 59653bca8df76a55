/// A request for mails that are due.
package struct MailClaim: Sendable {
  /// The maximum number of mails: the number of free connections to the relay, 0 or more.
  package let limit: Int
  /// The maximum number of those mails that were tried before, 0 or more; they follow the others.
  package let triedLimit: Int
  package let now: Timestamp
  /// The duration of the leases.
  package let lease: Duration
  package let budgets: MailBudgets
  /// Whether held mails are examined as well: those that waited too long expire, and others become
  /// due as far as the budgets have room.
  package let examinesHeld: Bool
  /// Creates the credentials of a granted mail.
  ///
  /// It is called on the store's thread, within the transaction, at each attempt, and must not
  /// block.
  package let credentials: @Sendable (ClaimedMail) -> MailCredentials

  package init(
    limit: Int, triedLimit: Int = .max, now: Timestamp, lease: Duration,
    budgets: MailBudgets = MailBudgets(), examinesHeld: Bool = false,
    credentials: @escaping @Sendable (ClaimedMail) -> MailCredentials
  ) {
    self.limit = limit
    self.triedLimit = triedLimit
    self.now = now
    self.lease = lease
    self.budgets = budgets
    self.examinesHeld = examinesHeld
    self.credentials = credentials
  }
}
