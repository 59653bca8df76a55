/// The decisions of a claim.
struct ClaimRound {
  /// The decision about a row that is due; every row except a mail to send or to hold is deleted.
  enum Decision {
    case drop
    case withhold
    case hold
    case damaged
    /// - Parameter mailbox: The mailbox to charge; `nil` if it was charged before.
    case send(ClaimedMail, mailbox: [UInt8]?)
  }

  let claim: MailClaim
  private(set) var mails: [ClaimedMail] = []
  private var dropped = 0
  private var withheld = 0
  private var held = 0
  private var damaged = 0
  var expired = 0
  var mayReleaseMore = false
  var load: Int?
  var raisesAlarm = false

  init(_ claim: MailClaim) {
    self.claim = claim
  }

  /// The time of the latest sign-up whose held mail has expired.
  var heldSince: Timestamp { claim.now.adding(.zero - MailBudgets.maximumHold) }

  var leaseEnd: Timestamp { claim.now.adding(claim.lease) }

  /// Whether the budget of all mails is spent.
  var isSpent: Bool {
    guard let load, let budget = claim.budgets.all else { return false }
    return load >= budget.count
  }

  /// Adds a decision that was stored.
  mutating func add(_ decision: Decision) {
    switch decision {
    case .drop: dropped += 1
    case .withhold: withheld += 1
    case .hold: held += 1
    case .damaged: damaged += 1
    case .send(let mail, _): mails.append(mail)
    }
  }

  /// Decides about a mail by the rules of ``MailGrant``.
  ///
  /// - Parameter hasRoom: Whether the budgets have room for it.
  func decide(
    about mail: DueMail, to recipient: MailRecipient, _ mailboxes: [[UInt8]: StoredMailbox],
    hasRoom: Bool
  ) -> Decision {
    guard let member = recipient.member else { return recipient.isOnList ? .damaged : .drop }
    if recipient.isSuppressed { return .drop }
    let isGranted = mail.grantedAt != nil
    let grant = MailGrant(
      mail.kind,
      createdAt: mail.createdAt,
      isGranted: isGranted,
      membership: member.membership,
      mailbox: isGranted
        ? MailboxHistory() : StoredMailbox.history(of: mail.mailbox, mailboxes, at: claim.now),
      hasRoom: hasRoom || mail.isReleased,
      now: claim.now
    )
    switch grant {
    case .drop: return .drop
    case .withhold: return .withhold
    case .hold: return .hold
    case .send:
      guard let address = member.validated else { return .drop }
      let claimed = ClaimedMail(
        id: mail.id, kind: mail.kind, subscriberID: mail.subscriberID, consentID: mail.consentID,
        recipient: address, locale: recipient.locale, createdAt: mail.createdAt,
        grantedAt: mail.grantedAt ?? claim.now, isFirstGrant: !isGranted, attempts: mail.attempts,
        leasedUntil: leaseEnd)
      return .send(claimed, mailbox: isGranted ? nil : mail.mailbox)
    }
  }

  func batch(nextDueAt: Timestamp?, hasHeld: Bool) -> MailBatch {
    MailBatch(
      mails: mails, dropped: dropped, withheld: withheld, held: held, expired: expired,
      hasHeld: hasHeld, mayReleaseMore: mayReleaseMore, load: load, raisesAlarm: raisesAlarm,
      damaged: damaged, nextDueAt: nextDueAt)
  }
}

/// A row of the outbox that is due.
struct DueRow {
  private let queue: Int64
  private let dueAt: Timestamp
  private let id: [UInt8]
  /// The mail; `nil` for values that no release has written.
  let mail: DueMail?

  /// Reads a row from its key and eight more columns.
  ///
  /// - Throws: `StoreError.damaged` if the row cannot be deleted, because it has no key.
  init(_ row: any ListRow) throws(StoreError) {
    queue = try row.required(row.number(0))
    dueAt = try row.required(row.time(1))
    id = try row.required(row.bytes(2))
    mail = DueMail(row)
  }

  private var key: [ListValue] { [.number(queue), .time(dueAt), .bytes(id)] }

  /// Deletes the row, unless another service has claimed it.
  var delete: BoundStatement { Self.delete(key).required }

  /// Leases the mail, unless another service has claimed it.
  func leasing(_ mail: ClaimedMail) -> BoundStatement {
    Self.lease(key + [.time(mail.leasedUntil), .time(mail.grantedAt)]).required
  }

  /// Sets a mail aside until the budgets have room for it, unless another service has claimed it.
  ///
  /// - Parameter domain: The hash of a domain that is not known.
  func holding(_ mail: DueMail, of domain: [UInt8]?) -> BoundStatement {
    Self.hold(key + [.time(mail.createdAt), .bytes(domain)]).required
  }

  private static let hold = Statement(
    """
    UPDATE enlist.outbox SET queue = 3, due_at = ?4, domain = ?5
      WHERE queue = ?1 AND due_at = ?2 AND id = ?3
    """
  )
  private static let delete = Statement(
    "DELETE FROM enlist.outbox WHERE queue = ?1 AND due_at = ?2 AND id = ?3")
  /// Rows that damage gave the same id are leased one at a time, because the id and the end of the
  /// lease are the key.
  private static let lease = Statement(
    """
    UPDATE enlist.outbox SET queue = 1, due_at = ?4, is_claimed = 1, granted_at = ?5
      WHERE queue = ?1 AND due_at = ?2 AND id = ?3 AND NOT EXISTS (
        SELECT 1 FROM enlist.outbox l WHERE l.queue = 1 AND l.due_at = ?4 AND l.id = ?3
      )
    """
  )
}

/// A mail that is due.
struct DueMail {
  let id: MailID
  let subscriberID: Int64
  let consentID: ExecutionID
  let mailbox: [UInt8]
  let kind: MailKind
  let createdAt: Timestamp
  let grantedAt: Timestamp?
  let attempts: Int
  /// Whether the operator has released the mail, so that it leaves whatever the budgets.
  let isReleased: Bool

  /// Reads a mail; `nil` for values that no release has written.
  fileprivate init?(_ row: any ListRow) {
    guard let id = row.bytes(2).flatMap({ MailID(bytes: $0) }),
      let subscriberID = row.number(3),
      let consentID = row.bytes(4).flatMap({ ExecutionID(bytes: $0) }),
      let mailbox = row.bytes(5), let kind = row.number(6).flatMap(MailKind.init(rawValue:)),
      let createdAt = row.time(7), let attempts = row.number(9)
    else { return nil }
    self.id = id
    self.subscriberID = subscriberID
    self.consentID = consentID
    self.mailbox = mailbox
    self.kind = kind
    self.createdAt = createdAt
    grantedAt = row.time(8)
    self.attempts = Int(clamping: attempts)
    isReleased = row.number(10) == 1
  }
}

/// The subscriber of a mail, and the language of its sign-up.
struct MailRecipient {
  /// The subscriber; `nil` if there is none, or if its row cannot be read.
  var member: Member?
  var locale: String?
  var isOnList = false
  /// Whether the mailbox is suppressed, perhaps by another spelling of the address.
  var isSuppressed = false
}
