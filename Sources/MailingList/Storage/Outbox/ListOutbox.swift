package import Signals

/// The outbox of a list that other services may share.
package final class ListOutbox: Outbox {
  private let access: any ListAccess
  private let mails: Subject<Void, Never>

  /// - Parameter mails: Sends after each transaction that has queued a mail or its substitute row.
  package init(_ access: any ListAccess, mails: Subject<Void, Never>) {
    self.access = access
    self.mails = mails
  }

  package var changes: Signal<Void, Never> { mails.signal }

  package func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> {
    settle([], claiming: claim)
  }

  /// Settles mails, then claims the next ones; if it fails, mails may have been settled, which does
  /// no harm to repeat.
  package func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    access.change { (list) throws(StoreError) in
      try list.settle(settlements)
      if let claim { return try list.claim(claim, isShared: true) }
      return MailBatch(mails: [], dropped: 0, withheld: 0, nextDueAt: try list.nextDueAt())
    }
  }

  package func backlog() -> Signal<OutboxBacklog, StoreError> {
    access.read { (list) throws(StoreError) in try list.backlog(isServedElsewhere: false) }
  }
}

extension ListWriter {
  /// A mail that its claim still leases.
  private struct LeasedSubject {
    /// The subscriber; `nil` if it was erased, or cannot be read.
    let member: Member?
    let mailbox: [UInt8]
    let charges: StoredMailbox
  }

  /// Settles mails; a settlement is ignored if its claim has lost the lease.
  ///
  /// An unreadable subscriber is left unchanged, because the settlement would fail again and again.
  package func settle(_ settlements: [MailSettlement]) throws(StoreError) {
    var remaining = settlements
    try deciding { () throws(StoreError) -> Void? in
      if remaining.isEmpty { return () }
      let subjects = try session.rows(ofEach: remaining.map(Self.subject)) { row in
        LeasedSubject(
          member: try? Member(row), mailbox: row.bytes(9) ?? [],
          charges: StoredMailbox(bytes: row.bytes(10) ?? []))
      }
      let leased = zip(remaining, subjects.map(\.first)).compactMap { settlement, subject in
        subject.map { (settlement, $0) }
      }
      let results = try session.change(groups: leased.map(changes))
      remaining = zip(leased, results).filter { !$0.1 }.map(\.0.0)
      return remaining.isEmpty ? () : nil
    }
  }

  private static func subject(_ settlement: MailSettlement) -> BoundStatement {
    findSubject(.time(settlement.mail.leasedUntil), .bytes(settlement.mail.id.bytes))
  }

  /// Returns the changes of a settlement: subscribers before mails, as everywhere, so that two
  /// services never wait for each other.
  private func changes(_ settlement: MailSettlement, _ subject: LeasedSubject) -> [BoundStatement] {
    let mail = settlement.mail
    let delete = Self.deleteMail(.time(mail.leasedUntil), .bytes(mail.id.bytes)).required
    let refund = subject.charges.removing(mail.grantedAt).map {
      subject.charges.writing($0, as: subject.mailbox)
    }
    switch settlement.outcome {
    case .sent:
      guard let member = subject.member else { return [delete] }
      let after = member.membership.delivered()
      let changes = after.map { member.writing($0, by: .system, at: settlement.time) } ?? []
      return changes + [delete, Self.recording(.mailAccepted, settlement, of: member)]
    case .rejected:
      let counted = MailHours.adding(MailCounts(rejected: 1), of: nil, at: settlement.time)
      guard let member = subject.member else { return [delete] + counted }
      let event = Self.recording(.mailRejected, settlement, of: member)
      guard let after = member.membership.rejected(at: settlement.time) else {
        return [delete, event] + counted
      }
      let changes = member.writing(after, by: .system, at: settlement.time) + [event]
      return changes + [refund, delete].compactMap(\.self) + counted
    case .undeliverable, .expired:
      return [delete]
    case .later(let time, let error):
      return [Self.postponing(mail, until: time, attempts: 1, error: error)]
    case .released(let time):
      return [Self.postponing(mail, until: time)]
    case .unsent(let time):
      guard mail.isFirstGrant, let refund else { return [Self.postponing(mail, until: time)] }
      let domain = keys.countedDomain(of: mail.recipient)
      return [refund, Self.postponing(mail, until: time, isGranted: false)]
        + MailHours.adding(MailCounts(sent: -1), of: domain, at: mail.grantedAt)
    }
  }

  private static func recording(
    _ kind: ListEvent.Kind, _ settlement: MailSettlement, of member: Member
  ) -> BoundStatement {
    member.recording(kind, by: .system, settlement.mail.kind.name, at: settlement.time)
  }

  private static func postponing(
    _ mail: ClaimedMail, until time: Timestamp, attempts: Int64 = 0, error: String? = nil,
    isGranted: Bool = true
  ) -> BoundStatement {
    postpone(
      .time(mail.leasedUntil), .bytes(mail.id.bytes), .time(time), .number(attempts), .text(error),
      .time(isGranted ? mail.grantedAt : nil)
    )
    .required
  }

  private static let findSubject = Statement(
    """
    SELECT \(Member.columns), o.mailbox, b.times
      FROM enlist.outbox o LEFT JOIN enlist.subscribers s ON s.id = o.subscriber_id
        LEFT JOIN enlist.mailboxes b ON b.mac = o.mailbox
      WHERE o.queue = 1 AND o.due_at = ?1 AND o.id = ?2
    """
  )
  /// Deletes a leased mail.
  private static let deleteMail = Statement(
    "DELETE FROM enlist.outbox WHERE queue = 1 AND due_at = ?1 AND id = ?2")
  private static let postpone = Statement(
    """
    UPDATE enlist.outbox SET queue = CASE WHEN attempts + ?4 > 0 THEN 2 ELSE 1 END, due_at = ?3,
      is_claimed = 0, attempts = attempts + ?4, last_error = coalesce(?5, last_error),
      granted_at = ?6 WHERE queue = 1 AND due_at = ?1 AND id = ?2
    """
  )
}
