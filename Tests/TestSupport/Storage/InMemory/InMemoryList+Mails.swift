internal import EmailAddresses
internal import MailingList

extension InMemoryList {
  /// Settles a mail that is still leased by its claim.
  mutating func settle(_ settlement: MailSettlement) {
    let mail = settlement.mail
    let index = rows.firstIndex { $0.id == mail.id && $0.dueAt == mail.leasedUntil }
    guard let index else { return }
    rows[index].isLeased = false
    let membership = member(mail.subscriberID)?.membership ?? .none
    switch settlement.outcome {
    case .sent:
      set(membership.delivered() ?? membership, of: mail.subscriberID)
      rows.remove(at: index)
    case .rejected:
      count(MailCounts(rejected: 1), to: mail.recipient, at: settlement.time)
      if let after = membership.rejected(at: settlement.time) {
        set(after, of: mail.subscriberID)
        _ = refund(mail)
      }
      rows.remove(at: index)
    case .undeliverable, .expired:
      rows.remove(at: index)
    case .later(let time, _):
      rows[index].dueAt = time
      rows[index].attempts += 1
    case .released(let time):
      rows[index].dueAt = time
    case .unsent(let time):
      rows[index].dueAt = time
      if mail.isFirstGrant, refund(mail) {
        rows[index].grantedAt = nil
        count(MailCounts(sent: -1), to: mail.recipient, at: mail.grantedAt)
      }
    }
  }

  /// Gives a mailbox back what a mail charged.
  ///
  /// - Returns: Whether it was charged.
  private mutating func refund(_ mail: ClaimedMail) -> Bool {
    guard let address = member(mail.subscriberID)?.address,
      let history = mailboxes[mailbox(of: address)]?.removing(mail.grantedAt)
    else { return false }
    mailboxes[mailbox(of: address)] = history
    return true
  }

  /// Returns a hash as stores have them, although it hides nothing.
  private func mailbox(of address: EmailAddress, hasSubaddress: Bool? = nil) -> [UInt8] {
    let length = MailboxHistory.hashLength
    let key = address.canonicalKey.utf8 + [UInt8](repeating: 0, count: length)
    return key.prefix(length) + (hasSubaddress ?? address.hasSubaddress ? [.max] : [])
  }

  /// Claims mails.
  mutating func claim(_ claim: MailClaim?) -> MailBatch {
    var mails: [ClaimedMail] = []
    var (dropped, withheld, held) = (0, 0, 0)
    var examined = (expired: 0, mayReleaseMore: false)
    if let claim {
      if claim.examinesHeld { examined = examineHeld(claim) }
      for id in dueMails(at: claim.now) {
        guard mails.count < claim.limit else { break }
        guard let index = rows.firstIndex(where: { $0.id == id }),
          let member = member(rows[index].subscriberID)
        else { continue }
        let tried = mails.count { $0.attempts > 0 }
        if rows[index].waitsBehind, tried >= claim.triedLimit { break }
        switch grant(rows[index], member, claim) {
        case .drop:
          rows.remove(at: index)
          dropped += 1
        case .withhold:
          rows.remove(at: index)
          withheld += 1
        case .hold:
          rows[index].isHeld = true
          held += 1
        case .send:
          mails.append(lease(index, member, claim))
        }
      }
    }
    return MailBatch(
      mails: mails,
      dropped: dropped,
      withheld: withheld,
      held: held,
      expired: examined.expired,
      hasHeld: rows.contains { $0.isHeld },
      mayReleaseMore: examined.mayReleaseMore,
      load: claim.flatMap { load($0) },
      raisesAlarm: claim.map { raiseAlarm($0) } ?? false,
      nextDueAt: rows.filter { !$0.isHeld && (claim?.triedLimit != 0 || !$0.waitsBehind) }
        .map(\.dueAt).min()
    )
  }

  private func dueMails(at now: Timestamp) -> [MailID] {
    rows.filter { $0.dueAt <= now && !$0.isHeld }
      .sorted { left, right in
        if left.waitsBehind != right.waitsBehind { return right.waitsBehind }
        return (left.dueAt, left.id.text) < (right.dueAt, right.id.text)
      }
      .map(\.id)
  }

  private func grant(_ row: Row, _ member: Member, _ claim: MailClaim) -> MailGrant {
    let now = claim.now
    let mailbox = mailbox(of: member.address)
    let other = self.mailbox(of: member.address, hasSubaddress: !member.address.hasSubaddress)
    return MailGrant(
      row.kind,
      createdAt: row.createdAt,
      isGranted: row.grantedAt != nil,
      membership: member.membership,
      mailbox: MailboxHistory(
        own: mailboxes[mailbox] ?? MailboxHistory(),
        other: mailboxes[other] ?? MailboxHistory(),
        of: mailbox,
        at: now
      ),
      hasRoom: hasRoom(for: member.address, claim),
      now: now
    )
  }

  private mutating func lease(_ index: Int, _ member: Member, _ claim: MailClaim) -> ClaimedMail {
    let row = rows[index]
    if row.grantedAt == nil {
      let mailbox = mailbox(of: member.address)
      mailboxes[mailbox] = (mailboxes[mailbox] ?? MailboxHistory()).adding(claim.now)
      count(MailCounts(sent: 1), to: member.address, at: claim.now)
    }
    let grantedAt = row.grantedAt ?? claim.now
    let end = claim.now.adding(claim.lease)
    rows[index].grantedAt = grantedAt
    rows[index].dueAt = end
    rows[index].isLeased = true
    let mail = ClaimedMail(
      id: row.id,
      kind: row.kind,
      subscriberID: row.subscriberID,
      consentID: row.consentID,
      recipient: member.address,
      locale: row.locale,
      createdAt: row.createdAt,
      grantedAt: grantedAt,
      isFirstGrant: row.grantedAt == nil,
      attempts: row.attempts,
      leasedUntil: end
    )
    store(claim.credentials(mail), of: mail, at: claim.now)
    return mail
  }

  private mutating func store(
    _ new: MailCredentials,
    of mail: ClaimedMail,
    at now: Timestamp
  ) {
    credentials[mail.id] = new
    links[new.unsubscribeHash] = Link(
      purpose: .unsubscribe,
      subscriberID: mail.subscriberID,
      consentID: mail.consentID,
      madeAt: now,
      expiresAt: nil
    )
    if let hash = new.confirmHash {
      links[hash] = Link(
        purpose: .confirm,
        subscriberID: mail.subscriberID,
        consentID: mail.consentID,
        madeAt: now,
        expiresAt: now.adding(MailCredentials.confirmLifetime)
      )
    }
    if let hash = new.codeHash {
      let before = codes[mail.subscriberID]
      codes[mail.subscriberID] = Code(
        hash: hash,
        madeAt: now,
        expiresAt: now.adding(MailCredentials.codeLifetime),
        consentID: mail.consentID,
        tries: before?.hash == hash ? before?.tries ?? 0 : 0
      )
    }
  }
}

extension MailID {
  /// The bytes as text that sorts like them.
  fileprivate var text: String {
    bytes.map { String(Unicode.Scalar($0)) }.joined()
  }
}
