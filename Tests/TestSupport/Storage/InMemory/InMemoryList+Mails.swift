internal import EmailAddresses
internal import MailingList

extension InMemoryList {
  /// Settles a mail that is still leased by its claim.
  mutating func settle(_ settlement: MailSettlement) {
    let mail = settlement.mail
    let index = rows.firstIndex { $0.id == mail.id && $0.dueAt == mail.leasedUntil }
    guard let index else { return }
    let membership = member(mail.subscriberID)?.membership ?? .none
    switch settlement.outcome {
    case .sent:
      set(membership.delivered() ?? membership, of: mail.subscriberID)
      rows.remove(at: index)
    case .rejected:
      set(membership.rejected(at: settlement.time) ?? membership, of: mail.subscriberID)
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
      guard mail.isFirstGrant, let address = member(mail.subscriberID)?.address else { return }
      let mailbox = Array(address.canonicalKey.utf8)
      let times = mailboxes[mailbox]?.times ?? []
      guard times.first == mail.grantedAt else { return }
      mailboxes[mailbox] = MailboxHistory(Array(times.dropFirst()))
      rows[index].grantedAt = nil
    }
  }

  /// Claims mails.
  mutating func claim(_ claim: MailClaim?) -> MailBatch {
    var mails: [ClaimedMail] = []
    var dropped = 0
    var withheld = 0
    if let claim {
      for id in dueMails(at: claim.now) {
        guard mails.count < claim.limit else { break }
        guard let index = rows.firstIndex(where: { $0.id == id }),
          let member = member(rows[index].subscriberID)
        else { continue }
        switch grant(rows[index], member, at: claim.now) {
        case .drop:
          rows.remove(at: index)
          dropped += 1
        case .withhold:
          rows.remove(at: index)
          withheld += 1
        case .send:
          mails.append(lease(index, member, claim))
        }
      }
    }
    return MailBatch(
      mails: mails,
      dropped: dropped,
      withheld: withheld,
      nextDueAt: rows.map(\.dueAt).min()
    )
  }

  private func dueMails(at now: Timestamp) -> [MailID] {
    rows.filter { $0.dueAt <= now }
      .sorted { left, right in (left.dueAt, left.id.text) < (right.dueAt, right.id.text) }
      .map(\.id)
  }

  private func grant(_ row: Row, _ member: Member, at now: Timestamp) -> MailGrant {
    MailGrant(
      row.kind,
      createdAt: row.createdAt,
      isGranted: row.grantedAt != nil,
      membership: member.membership,
      mailbox: mailboxes[Array(member.address.canonicalKey.utf8)] ?? MailboxHistory(),
      now: now
    )
  }

  private mutating func lease(_ index: Int, _ member: Member, _ claim: MailClaim) -> ClaimedMail {
    let row = rows[index]
    if row.grantedAt == nil {
      let mailbox = Array(member.address.canonicalKey.utf8)
      mailboxes[mailbox] = (mailboxes[mailbox] ?? MailboxHistory()).adding(claim.now)
    }
    let grantedAt = row.grantedAt ?? claim.now
    let end = claim.now.adding(claim.lease)
    rows[index].grantedAt = grantedAt
    rows[index].dueAt = end
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
