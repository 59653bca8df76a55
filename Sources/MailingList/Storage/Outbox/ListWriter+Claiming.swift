extension ListWriter {
  /// The maximum number of mails that one claim examines.
  private static let maximumExamined = 64
  /// The maximum number of substitute rows that one claim deletes, because sign-ups wait for it.
  package static let maximumUnsent: Int64 = 512

  /// Claims mails that are due: decides about each, and leases those that are to be sent.
  ///
  /// A mail that another service claims at the same time is left to it.
  ///
  /// - Parameter isShared: Whether other services deliver mails of the list, of which this one
  ///   learns only by its next claim.
  package func claim(_ claim: MailClaim, isShared: Bool) throws(StoreError) -> MailBatch {
    _ = try session.change([Self.deleteUnsent(.number(Self.maximumUnsent))])
    var round = ClaimRound(claim)
    try claimDue(&round)
    // Held mails follow those that are due.
    if claim.examinesHeld, round.mails.count == claim.limit {
      round.mayReleaseMore = true
    } else if claim.examinesHeld {
      try expireHeld(&round)
      try releaseHeld(&round)
      if round.mayReleaseMore { try claimDue(&round) }
    }
    if round.isSpent {
      round.raisesAlarm = try session.change([MailHours.raisingAlarm(at: claim.now)])
    }
    let (next, hasHeld) = try next(includesTried: claim.triedLimit != 0)
    return round.batch(
      nextDueAt: isShared ? min(next ?? round.leaseEnd, round.leaseEnd) : next, hasHeld: hasHeld)
  }

  private func claimDue(_ round: inout ClaimRound) throws(StoreError) {
    let claim = round.claim
    var examined = 0
    while round.mails.count < claim.limit, examined < Self.maximumExamined {
      let limit = min(claim.limit - round.mails.count, Self.maximumExamined - examined)
      let tried = round.mails.count { $0.attempts > 0 }
      let triedLimit = min(max(claim.triedLimit - tried, 0), limit)
      let rows = try dueRows(at: claim.now, limit: limit, triedLimit: triedLimit)
      if rows.isEmpty { break }
      examined += rows.count
      let areStored = try decide(about: rows, &round)
      // No limit was reached, so no further row is due.
      if areStored, rows.count < triedLimit { break }
    }
  }

  /// Deletes held mails that waited too long.
  private func expireHeld(_ round: inout ClaimRound) throws(StoreError) {
    let limit = Self.maximumExamined
    let statement = Self.findHeld(.time(round.heldSince), .number(Int64(limit)))
    let rows = try session.rows(statement) { (row) throws(StoreError) in try DueRow(row) }
    round.expired = try session.change(groups: rows.map { [$0.delete] }).count { $0 }
    round.mayReleaseMore = rows.count == limit
  }

  /// Makes held mails due, the oldest first, as far as the budgets have room.
  private func releaseHeld(_ round: inout ClaimRound) throws(StoreError) {
    let claim = round.claim
    let room = try MailRoom(claim.budgets, for: [], at: claim.now, in: session)
    round.load = room.load
    let limit = min(room.remaining, Self.maximumExamined)
    let perDomain = claim.budgets.perDomain
    let statement = Self.release(
      .number(perDomain?.end(at: claim.now) ?? .max), .number(MailHours.last(at: claim.now)),
      .number(Int64(perDomain?.count ?? .max)), .time(claim.now), .number(Int64(limit)),
      .time(round.heldSince))
    if limit > 0, try session.change([statement.required]) { round.mayReleaseMore = true }
  }

  /// Returns when the next mail is due, including leased ones.
  package func nextDueAt() throws(StoreError) -> Timestamp? { try next(includesTried: true).dueAt }

  private func next(includesTried: Bool) throws(StoreError) -> (dueAt: Timestamp?, hasHeld: Bool) {
    let statement = Self.findNext(.number(includesTried ? 2 : 1))
    return try session.first(statement) { ($0.time(0), $0.number(1) == 3) } ?? (nil, false)
  }

  /// Reads rows that are due, the longest due first; those that were tried before follow.
  private func dueRows(
    at now: Timestamp, limit: Int, triedLimit: Int
  ) throws(StoreError) -> [DueRow] {
    let statement = Self.findDue(.time(now), .number(Int64(limit)), .number(Int64(triedLimit)))
    return try session.rows(statement) { (row) throws(StoreError) in try DueRow(row) }
  }

  /// Decides about rows that are due, and stores the decisions; every row except a mail to send or
  /// to hold is deleted.
  ///
  /// Returns whether all were stored: what a decision has read may have changed.
  private func decide(about rows: [DueRow], _ round: inout ClaimRound) throws(StoreError) -> Bool {
    var recipients = try recipients(of: rows.compactMap(\.mail))[...]
    let domains = recipients.map { $0.member?.validated.flatMap(keys.countedDomain) }
    let ungranted = rows.compactMap(\.mail).filter { $0.grantedAt == nil }
    var mailboxes = try ListReader(session).mailboxes(of: ungranted.map(\.mailbox))
    var room = try MailRoom(
      ungranted.isEmpty ? MailBudgets() : round.claim.budgets, for: domains.compactMap(\.self),
      at: round.claim.now, in: session)
    round.load = room.load ?? round.load
    var domainsLeft = domains[...]
    var decisions: [ClaimRound.Decision] = []
    var groups: [[BoundStatement]] = []
    for row in rows {
      let domain = row.mail.flatMap { _ in domainsLeft.removeFirst() }
      let decision = row.mail.map { mail in
        round.decide(
          about: mail, to: recipients.removeFirst(), mailboxes, hasRoom: room.hasRoom(for: domain))
      }
      decisions.append(decision ?? .damaged)
      if case .hold = decision, let mail = row.mail {
        groups.append([row.holding(mail, of: domain)])
        continue
      }
      guard case .send(let mail, let mailbox) = decision else {
        groups.append([row.delete])
        continue
      }
      var group = [row.leasing(mail)]
      if let mailbox {
        let before = mailboxes[mailbox] ?? StoredMailbox()
        mailboxes[mailbox] = before.adding(round.claim.now)
        group.append(before.writing(before.adding(round.claim.now), as: mailbox))
      }
      let credentials = round.claim.credentials(mail)
      group += Self.storing(credentials, of: mail, at: round.claim.now)
      groups.append(mailbox == nil ? group : group + room.charge(domain))
    }
    let results = try session.change(groups: groups)
    for (decision, isStored) in zip(decisions, results) where isStored { round.add(decision) }
    return !results.contains(false)
  }

  private func recipients(of mails: [DueMail]) throws(StoreError) -> [MailRecipient] {
    let statements = mails.map {
      Self.findRecipient(.number($0.subscriberID), .bytes($0.consentID.bytes))
    }
    let recipients = try session.rows(ofEach: statements) { row in
      MailRecipient(member: try? Member(row), locale: row.text(9), isOnList: true)
    }
    .map { $0.first ?? MailRecipient() }
    let hashes = recipients.map { $0.member?.validated.map(keys.suppressions(of:)) }
    let stored = try ListReader(session).suppressions(of: hashes.compactMap(\.self))
    return zip(recipients, hashes).map { recipient, hashes in
      var recipient = recipient
      recipient.isSuppressed = hashes.flatMap(stored.strongestOfMailbox) != nil
      return recipient
    }
  }

  private static let deleteUnsent = Statement(
    sqlite: deleteUnsentSQL(""), postgreSQL: deleteUnsentSQL("FOR UPDATE SKIP LOCKED"))
  private static func deleteUnsentSQL(_ lock: String) -> String {
    """
    DELETE FROM enlist.outbox WHERE (queue, due_at, id) IN (
      SELECT queue, due_at, id FROM enlist.outbox WHERE queue = 0
        ORDER BY due_at, id LIMIT ?1 \(lock)
    )
    """
  }
  private static let findDue = Statement(
    """
    SELECT * FROM (\(findDueSQL(queue: 1, limit: "?2"))) AS due
      UNION ALL SELECT * FROM (\(findDueSQL(queue: 2, limit: "?3"))) AS tried LIMIT ?2
    """
  )
  private static func findDueSQL(queue: Int, limit: String) -> String {
    """
    SELECT queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at, granted_at,
      attempts, is_released FROM enlist.outbox WHERE queue = \(queue) AND due_at <= ?1
      ORDER BY due_at, id LIMIT \(limit)
    """
  }
  private static let findHeld = Statement(findDueSQL(queue: 3, limit: "?2"))
  private static let release = Statement(
    """
    UPDATE enlist.outbox SET queue = 1, due_at = ?4 WHERE (queue, due_at, id) IN (
      SELECT queue, due_at, id FROM enlist.outbox WHERE queue = 3 AND due_at > ?6
          AND \(MailHours.hasRoom)
        ORDER BY due_at, id LIMIT ?5
    )
    """
  )
  private static let findRecipient = Statement(
    """
    SELECT \(Member.columns), (SELECT c.locale FROM enlist.consents c WHERE c.id = ?2)
      FROM enlist.subscribers s WHERE s.id = ?1
    """
  )
  private static let findNext = Statement(
    """
    SELECT min(due_at), (SELECT h.queue FROM enlist.outbox h WHERE h.queue = 3 LIMIT 1) FROM (
      SELECT min(due_at) AS due_at FROM enlist.outbox WHERE queue = 1
        UNION ALL SELECT min(due_at) FROM enlist.outbox WHERE queue = ?1
    ) AS queues
    """
  )
}
