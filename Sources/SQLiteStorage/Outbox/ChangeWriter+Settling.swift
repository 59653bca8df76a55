internal import MailingList

extension ChangeWriter {
  /// Settles a mail, if it is still leased by its claim.
  ///
  /// - Parameter settlement: The mail and what has become of it.
  /// - Throws: `StoreError`.
  func settle(_ settlement: MailSettlement) throws(StoreError) {
    let mail = settlement.mail
    switch settlement.outcome {
    case .sent:
      guard try delete(mail), let member = try member(mail.subscriberID) else { return }
      guard let after = member.membership.delivered() else { return }
      try write(after, of: member.id, at: settlement.time)
    case .rejected:
      guard try delete(mail), let member = try member(mail.subscriberID) else { return }
      guard let after = member.membership.rejected(at: settlement.time) else { return }
      try write(after, of: member.id, at: settlement.time)
    case .undeliverable, .expired:
      _ = try delete(mail)
    case .later(let time, let error):
      try postpone(mail, until: time, attempts: 1, error: error)
    case .released(let time):
      try postpone(mail, until: time, attempts: 0, error: nil)
    }
  }

  /// Deletes a mail.
  ///
  /// - Returns: Whether it was still leased by its claim.
  private func delete(_ mail: ClaimedMail) throws(StoreError) -> Bool {
    let statement = try statements[Self.deleteSQL]
    statement.bind(mail.leasedUntil.millisecondsSince1970, at: 1)
    statement.bind(mail.id.bytes, at: 2)
    try statement.run()
    return statements.changesCount > 0
  }

  private func postpone(
    _ mail: ClaimedMail,
    until time: Timestamp,
    attempts: Int64,
    error: String?
  ) throws(StoreError) {
    let statement = try statements[
      """
      UPDATE outbox SET due_at = ?3, is_claimed = 0, attempts = attempts + ?4,
        last_error = coalesce(?5, last_error) WHERE queue = 1 AND due_at = ?1 AND id = ?2
      """
    ]
    statement.bind(mail.leasedUntil.millisecondsSince1970, at: 1)
    statement.bind(mail.id.bytes, at: 2)
    statement.bind(time.millisecondsSince1970, at: 3)
    statement.bind(attempts, at: 4)
    statement.bind(error, at: 5)
    try statement.run()
  }
}
