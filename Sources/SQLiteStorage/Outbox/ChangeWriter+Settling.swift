internal import MailingList

extension ChangeWriter {
  /// Settles a mail if its claim still has the lease.
  ///
  /// An unreadable subscriber is left unchanged, because the settlement would fail again and again.
  func settle(_ settlement: MailSettlement) throws(StoreError) {
    let mail = settlement.mail
    switch settlement.outcome {
    case .sent:
      guard try delete(mail), case .success(let member)? = try findMember(mail.subscriberID) else {
        return
      }
      guard let after = member.membership.delivered() else { return }
      try write(after, of: member.id, at: settlement.time)
    case .rejected:
      guard case .success(let member)? = try findMember(mail.subscriberID),
        let after = member.membership.rejected(at: settlement.time)
      else {
        _ = try delete(mail)
        return
      }
      _ = try refund(mail)
      if try delete(mail) { try write(after, of: member.id, at: settlement.time) }
    case .undeliverable, .expired:
      _ = try delete(mail)
    case .later(let time, let error):
      try postpone(mail, until: time, attempts: 1, error: error)
    case .released(let time):
      try postpone(mail, until: time, attempts: 0, error: nil)
    case .unsent(let time):
      if mail.isFirstGrant, try refund(mail) { try revokeGrant(of: mail) }
      try postpone(mail, until: time, attempts: 0, error: nil)
    }
  }

  /// Refunds the mailbox's charge for the grant of a mail if the mail's claim still has the lease;
  /// returns whether a charge was refunded.
  private func refund(_ mail: ClaimedMail) throws(StoreError) -> Bool {
    for sql in Self.refundSQL {
      let refund = try statements[sql]
      refund.bind(mail.leasedUntil.millisecondsSince1970, at: 1)
      refund.bind(mail.id.bytes, at: 2)
      refund.bind(mail.grantedAt.millisecondsSince1970, at: 3)
      try refund.run()
      if statements.changesCount > 0 { return true }
    }
    return false
  }

  private func revokeGrant(of mail: ClaimedMail) throws(StoreError) {
    let statement = try statements[
      "UPDATE outbox SET granted_at = NULL WHERE queue = 1 AND due_at = ?1 AND id = ?2"
    ]
    statement.bind(mail.leasedUntil.millisecondsSince1970, at: 1)
    statement.bind(mail.id.bytes, at: 2)
    try statement.run()
  }

  /// Statements that remove a mail from a mailbox: the row if this was its only mail, otherwise
  /// only its time; later times keep their positions.
  private static let refundSQL = [
    "DELETE FROM mailboxes WHERE mail_2 IS NULL AND mail_1 = ?3 AND \(isMailbox)",
    """
    UPDATE mailboxes SET mail_1 = iif(?3 = mail_1, mail_2, mail_1),
      mail_2 = iif(?3 IN (mail_1, mail_2), mail_3, mail_2),
      mail_3 = iif(?3 IN (mail_1, mail_2, mail_3), mail_4, mail_3),
      mail_4 = iif(?3 IN (mail_1, mail_2, mail_3, mail_4), mail_5, mail_4), mail_5 = NULL
    WHERE mail_2 IS NOT NULL AND ?3 IN (mail_1, mail_2, mail_3, mail_4, mail_5) AND \(isMailbox)
    """,
  ]

  private static let isMailbox =
    "mac = (SELECT mailbox FROM outbox WHERE queue = 1 AND due_at = ?1 AND id = ?2)"

  private func delete(_ mail: ClaimedMail) throws(StoreError) -> Bool {
    let statement = try statements[Self.deleteSQL]
    statement.bind(mail.leasedUntil.millisecondsSince1970, at: 1)
    statement.bind(mail.id.bytes, at: 2)
    statement.bind(1, at: 3)
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
      UPDATE outbox SET queue = iif(attempts + ?4 > 0, 2, 1), due_at = ?3, is_claimed = 0,
        attempts = attempts + ?4, last_error = coalesce(?5, last_error)
        WHERE queue = 1 AND due_at = ?1 AND id = ?2
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
