internal import MailingList

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
