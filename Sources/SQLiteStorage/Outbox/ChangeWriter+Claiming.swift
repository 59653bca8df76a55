internal import MailingList

extension ChangeWriter {
  /// The maximum number of mails that one claim examines.
  private static let maximumExamined = 64
  /// The maximum number of substitute rows that one claim deletes, except that rows of the same
  /// millisecond are deleted together.
  static let maximumUnsent = 512

  private struct DueMail {
    let queue: Int64
    let dueAt: Int64
    let id: MailID
    let subscriberID: Int64
    let consentID: ExecutionID
    let mailbox: [UInt8]
    let kind: MailKind
    let createdAt: Timestamp
    let grantedAt: Timestamp?
    let attempts: Int
  }

  /// A row that is due.
  private struct DueRow {
    let queue: Int64
    let dueAt: Int64
    let id: [UInt8]
    /// The mail; `nil` for values that no release has written.
    let mail: DueMail?
  }

  /// The decision about a row that is due; every row except a claimed mail is deleted.
  private enum Decision {
    case claimed(ClaimedMail)
    case dropped
    case withheld
    case damaged
  }

  /// Claims mails; `nil` claims none.
  func claim(_ claim: MailClaim?) throws(StoreError) -> MailBatch {
    var mails: [ClaimedMail] = []
    var dropped = 0
    var withheld = 0
    var damaged = 0
    if let claim {
      if let relayLock, !relayLock.take() {
        let next = claim.now.adding(SQLiteOutbox.lockInterval)
        return MailBatch(mails: [], dropped: 0, withheld: 0, nextDueAt: next)
      }
      try recoverClaims(at: claim.now)
      try deleteUnsent()
      var examined = 0
      while mails.count < claim.limit, examined < Self.maximumExamined {
        // Each decision deletes a mail or makes it due later.
        let limit = min(claim.limit - mails.count, Self.maximumExamined - examined)
        let triedLimit = max(claim.triedLimit - mails.count { $0.attempts > 0 }, 0)
        let due = try dueRows(at: claim.now, limit: limit, triedLimit: triedLimit)
        if due.isEmpty { break }
        examined += due.count
        for row in due {
          switch try decide(about: row, claim) {
          case .claimed(let mail):
            mails.append(mail)
            continue
          case .dropped: dropped += 1
          case .withheld: withheld += 1
          case .damaged: damaged += 1
          }
          try delete(row)
        }
      }
    }
    return MailBatch(
      mails: mails,
      dropped: dropped,
      withheld: withheld,
      damaged: damaged,
      nextDueAt: try nextDueAt(includesTried: claim?.triedLimit != 0)
    )
  }

  /// Decides about a row, and leases its mail if it is to be sent.
  private func decide(about row: DueRow, _ claim: MailClaim) throws(StoreError) -> Decision {
    guard let mail = row.mail else { return .damaged }
    guard let found = try findMember(mail.subscriberID) else { return .dropped }
    guard case .success(let member) = found else { return .damaged }
    switch try grant(mail, member.membership, at: claim.now) {
    case .drop: return .dropped
    case .withhold: return .withheld
    case .send:
      guard let claimed = try lease(mail, member, claim) else { return .dropped }
      return .claimed(claimed)
    }
  }

  /// Deletes the oldest substitute rows, a few at a time, because sign-ups wait for it.
  private func deleteUnsent() throws(StoreError) {
    let statement = try statements[
      """
      DELETE FROM outbox WHERE queue = 0 AND due_at <= ifnull(
        (SELECT due_at FROM outbox WHERE queue = 0 ORDER BY due_at LIMIT 1 OFFSET ?1), ?2)
      """
    ]
    statement.bind(Int64(Self.maximumUnsent - 1), at: 1)
    statement.bind(Int64.max, at: 2)
    try statement.run()
  }

  private func nextDueAt(includesTried: Bool) throws(StoreError) -> Timestamp? {
    let statement = try statements[
      """
      SELECT min(due_at) FROM (SELECT min(due_at) AS due_at FROM outbox WHERE queue = 1
        UNION ALL SELECT min(due_at) FROM outbox WHERE queue = ?1)
      """
    ]
    statement.bind(includesTried ? 2 : 1, at: 1)
    return try statement.first { row in row.time(0) } ?? nil
  }

  private static let dueSQL = """
    SELECT * FROM (\(dueSelect(queue: 1, limit: "?2")))
      UNION ALL SELECT * FROM (\(dueSelect(queue: 2, limit: "?3"))) LIMIT ?2
    """

  private static func dueSelect(queue: Int, limit: String) -> String {
    """
    SELECT due_at, id, subscriber_id, consent_id, mailbox, kind, created_at, granted_at, attempts,
      queue FROM outbox WHERE queue = \(queue) AND due_at <= ?1 ORDER BY due_at, id LIMIT \(limit)
    """
  }

  private func dueRows(
    at now: Timestamp,
    limit: Int,
    triedLimit: Int
  ) throws(StoreError) -> [DueRow] {
    let statement = try statements[Self.dueSQL]
    statement.bind(now.millisecondsSince1970, at: 1)
    statement.bind(Int64(limit), at: 2)
    statement.bind(Int64(triedLimit), at: 3)
    var rows: [DueRow] = []
    while try statement.next() {
      guard let dueAt = statement.number(0), let id = statement.bytes(1),
        let queue = statement.number(9)
      else {
        // Without its key, the row cannot be deleted.
        statement.reset()
        throw .damaged
      }
      let mail = Self.mail(statement, queue, dueAt, id)
      rows.append(DueRow(queue: queue, dueAt: dueAt, id: id, mail: mail))
    }
    return rows
  }

  /// Reads a mail from the columns after its key; `nil` if the row is damaged.
  private static func mail(
    _ row: PreparedStatement,
    _ queue: Int64,
    _ dueAt: Int64,
    _ id: [UInt8]
  ) -> DueMail? {
    guard let id = MailID(bytes: id), let subscriberID = row.number(2),
      let consentID = row.bytes(3).flatMap({ ExecutionID(bytes: $0) }),
      let mailbox = row.bytes(4), let kind = row.number(5).flatMap(MailKind.init(rawValue:)),
      let createdAt = row.time(6), let attempts = row.number(8)
    else { return nil }
    return DueMail(
      queue: queue,
      dueAt: dueAt,
      id: id,
      subscriberID: subscriberID,
      consentID: consentID,
      mailbox: mailbox,
      kind: kind,
      createdAt: createdAt,
      grantedAt: row.time(7),
      attempts: Int(attempts)
    )
  }

  private func grant(
    _ mail: DueMail,
    _ membership: Membership,
    at now: Timestamp
  ) throws(StoreError) -> MailGrant {
    MailGrant(
      mail.kind,
      createdAt: mail.createdAt,
      isGranted: mail.grantedAt != nil,
      membership: membership,
      mailbox: mail.grantedAt == nil ? try history(of: mail.mailbox, at: now) : MailboxHistory(),
      now: now
    )
  }

  /// Reads the mails that count toward the limits of a mailbox.
  private func history(of mailbox: [UInt8], at now: Timestamp) throws(StoreError) -> MailboxHistory
  {
    // The two rows of a mailbox are adjacent.
    let statement = try statements[
      """
      SELECT mac = ?1, mail_1, mail_2, mail_3, mail_4, mail_5 FROM mailboxes
        WHERE mac BETWEEN ?2 AND ?3
      """
    ]
    let hash = mailbox.prefix(MailboxHistory.hashLength)
    statement.bind(mailbox, at: 1)
    statement.bind(Array(hash), at: 2)
    statement.bind(Array(hash) + [.max], at: 3)
    var (own, other) = (MailboxHistory(), MailboxHistory())
    while try statement.next() {
      let history = MailboxHistory(
        (1...Int32(MailboxHistory.capacity)).compactMap { statement.time($0) }
      )
      if statement.number(0) == 1 { own = history } else { other = history }
    }
    return MailboxHistory(own: own, other: other, of: mailbox, at: now)
  }

  private func delete(_ row: DueRow) throws(StoreError) {
    let statement = try statements[Self.deleteSQL]
    statement.bind(row.dueAt, at: 1)
    statement.bind(row.id, at: 2)
    statement.bind(row.queue, at: 3)
    try statement.run()
    // Otherwise the relay would find the same row again and again.
    if statements.changesCount == 0 { throw .damaged }
  }

  /// Deletes a mail; the time is when it is due, or when its lease ends.
  static let deleteSQL = "DELETE FROM outbox WHERE queue = ?3 AND due_at = ?1 AND id = ?2"

  /// Leases a mail, charges its mailbox at the first grant, and stores its credentials; `nil` if
  /// the address is not valid anymore.
  private func lease(
    _ mail: DueMail,
    _ member: Member,
    _ claim: MailClaim
  ) throws(StoreError) -> ClaimedMail? {
    guard let recipient = member.validated else { return nil }
    let end = claim.now.adding(claim.lease)
    let update = try statements[
      """
      UPDATE outbox SET queue = 1, due_at = ?3, is_claimed = 1,
        granted_at = coalesce(granted_at, ?4) WHERE queue = ?5 AND due_at = ?1 AND id = ?2
      """
    ]
    update.bind(mail.dueAt, at: 1)
    update.bind(mail.id.bytes, at: 2)
    update.bind(end.millisecondsSince1970, at: 3)
    update.bind(claim.now.millisecondsSince1970, at: 4)
    update.bind(mail.queue, at: 5)
    try update.run()
    if mail.grantedAt == nil { try charge(mail.mailbox, at: claim.now) }
    let claimed = ClaimedMail(
      id: mail.id,
      kind: mail.kind,
      subscriberID: mail.subscriberID,
      consentID: mail.consentID,
      recipient: recipient,
      locale: try locale(of: mail.consentID),
      createdAt: mail.createdAt,
      grantedAt: mail.grantedAt ?? claim.now,
      isFirstGrant: mail.grantedAt == nil,
      attempts: mail.attempts,
      leasedUntil: end
    )
    try store(claim.credentials(claimed), of: claimed, at: claim.now)
    return claimed
  }

  private func charge(_ mailbox: [UInt8], at now: Timestamp) throws(StoreError) {
    let statement = try statements[
      """
      INSERT INTO mailboxes(mac, mail_1) VALUES (?1, ?2) ON CONFLICT(mac) DO UPDATE SET
        mail_5 = mail_4, mail_4 = mail_3, mail_3 = mail_2, mail_2 = mail_1, mail_1 = excluded.mail_1
      """
    ]
    statement.bind(mailbox, at: 1)
    statement.bind(now.millisecondsSince1970, at: 2)
    try statement.run()
  }

  private func locale(of consent: ExecutionID) throws(StoreError) -> String? {
    let statement = try statements["SELECT locale FROM consents WHERE id = ?1"]
    statement.bind(consent.bytes, at: 1)
    return try statement.first { row in row.text(0) } ?? nil
  }
}
