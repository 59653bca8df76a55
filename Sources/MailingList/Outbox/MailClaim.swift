/// A request for mails that are due.
package struct MailClaim: Sendable {
  /// The maximum number of mails: the number of free connections to the relay, 0 or more.
  package let limit: Int
  /// The maximum number of mails among them that were tried before, 0 or more; they follow the
  /// others.
  package let triedLimit: Int
  /// The current time.
  package let now: Timestamp
  /// How long the mails are leased.
  package let lease: Duration
  /// Makes the credentials of a mail that is granted; called within the transaction.
  package let credentials: @Sendable (ClaimedMail) -> MailCredentials

  /// Creates a claim.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of mails, 0 or more.
  ///   - triedLimit: The maximum number of mails that were tried before, 0 or more.
  ///   - credentials: Makes the credentials of a mail that is granted. It is called on the store's
  ///     thread, within the transaction, at each attempt, and must not block.
  package init(
    limit: Int,
    triedLimit: Int = .max,
    now: Timestamp,
    lease: Duration,
    credentials: @escaping @Sendable (ClaimedMail) -> MailCredentials
  ) {
    self.limit = limit
    self.triedLimit = triedLimit
    self.now = now
    self.lease = lease
    self.credentials = credentials
  }
}
