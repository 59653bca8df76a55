internal import EmailAddresses
internal import MailingList

extension ChangeWriter {
  /// The maximum number of mails that one claim decides about.
  private static let maximumExamined = 64

  /// What one round of a claim has decided about mails that it has leased.
  private struct Decisions {
    /// The ids of mails that are deleted.
    var deleted: [[UInt8]] = []
    var dropped = 0
    var withheld = 0
    var damaged = 0
    /// The mails that are granted, unless another relay has charged the mailbox meanwhile.
    var granted: [Grant] = []
    /// The mails to mailboxes that this round has granted a mail to, and the latest one.
    var histories: [[UInt8]: (history: MailboxHistory, latest: Timestamp?)] = [:]

    /// Returns the mails to the other addresses of a mailbox that this round has granted a mail to.
    func otherHistory(of mailbox: [UInt8]) -> MailboxHistory? {
      let hash = mailbox.prefix(MailboxHistory.hashLength)
      return histories.first { $0.key != mailbox && $0.key.starts(with: hash) }?.value.history
    }
  }

  /// A leased mail, and what the decision about it needs.
  private struct LeasedMail {
    let id: MailID
    let consentID: ExecutionID
    let subscriberID: Int64
    let mailbox: [UInt8]
    let kind: MailKind
    let createdAt: Timestamp
    let grantedAt: Timestamp?
    let attempts: Int
    let locale: String?
    /// The address of the subscriber, if there still is one.
    let address: String?
    let membership: Membership
    /// The times of the last mails to the mailbox, the last charge first.
    let times: [Timestamp]
    /// The times of the last mails to the other addresses of the mailbox.
    let otherTimes: [Timestamp]
  }

  private struct Grant {
    let mail: ClaimedMail
    let credentials: MailCredentials
    /// The latest mail to the mailbox before this one.
    let latest: Timestamp?
  }

  /// Settles mails, then claims the next ones.
  ///
  /// - Parameter claim: How many mails to claim, and for how long; `nil` claims none.
  func settle(
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) throws(PostgreSQLError) -> MailBatch {
    var before = settlements.isEmpty ? [] : [Self.settlement(settlements)]
    var mails: [ClaimedMail] = []
    var (dropped, withheld, damaged, examined) = (0, 0, 0, 0)
    if let claim {
      while mails.count < claim.limit, examined < Self.maximumExamined {
        // Each mail that has been decided about is deleted, or due later.
        let limit = min(claim.limit - mails.count, Self.maximumExamined - examined)
        let triedLimit = max(claim.triedLimit - mails.count { $0.attempts > 0 }, 0)
        let results = try change(each: before + [Self.lease(claim, limit, triedLimit)])
        before = []
        guard let rows = results.last, rows.count > 0 else { break }
        examined += rows.count
        let decisions = try decide(rows, claim)
        mails += try store(decisions, claim)
        dropped += decisions.dropped
        withheld += decisions.withheld
        damaged += decisions.damaged
      }
    }
    let rows = try change(
      each: before + [
        Query(
          """
          SELECT least((SELECT min(due_at) FROM enlist.outbox WHERE queue = 1),
            (SELECT min(due_at) FROM enlist.outbox WHERE queue = $1), $2)
          """
        )
        .binding(claim?.triedLimit == 0 ? 1 : 2 as Int16)
        // Other replicas have mails that this one learns of only when it claims again.
        .binding(claim.map { $0.now.adding($0.lease) })
      ]
    )
    let nextDueAt: Timestamp? = try rows.last?.value(0, 0)
    return MailBatch(
      mails: mails,
      dropped: dropped,
      withheld: withheld,
      damaged: damaged,
      nextDueAt: nextDueAt
    )
  }

  private static func lease(_ claim: MailClaim, _ limit: Int, _ triedLimit: Int) -> Query {
    Query("SELECT * FROM enlist.claim_mails($1, $2, $3, $4)").binding(claim.now)
      .binding(claim.now.adding(claim.lease)).binding(Int32(clamping: limit))
      .binding(Int32(clamping: triedLimit))
  }

  /// Decides about leased mails, the longest due first.
  private func decide(
    _ rows: QueryResult,
    _ claim: MailClaim
  ) throws(PostgreSQLError) -> Decisions {
    var decisions = Decisions()
    for row in 0..<rows.count {
      let bytes = try rows.required(row, 0, as: [UInt8].self)
      guard let leased = try? Self.leasedMail(rows, row) else {
        decisions.deleted.append(bytes)
        decisions.damaged += 1
        continue
      }
      // The first time is that of the last charge, even if the clock was set back since.
      let (history, latest) =
        decisions.histories[leased.mailbox] ?? (MailboxHistory(leased.times), leased.times.first)
      let isGranted = leased.grantedAt != nil
      let grant = MailGrant(
        leased.kind,
        createdAt: leased.createdAt,
        isGranted: isGranted,
        membership: leased.membership,
        mailbox: isGranted
          ? MailboxHistory()
          : MailboxHistory(
            own: history,
            other: decisions.otherHistory(of: leased.mailbox) ?? MailboxHistory(leased.otherTimes),
            of: leased.mailbox,
            at: claim.now
          ),
        now: claim.now
      )
      let recipient = leased.address.flatMap { try? EmailAddress(validating: $0, level: .test) }
      switch (grant, recipient) {
      case (.withhold, _):
        decisions.deleted.append(bytes)
        decisions.withheld += 1
      case (.send, let recipient?):
        let mail = ClaimedMail(
          id: leased.id,
          kind: leased.kind,
          subscriberID: leased.subscriberID,
          consentID: leased.consentID,
          recipient: recipient,
          locale: leased.locale,
          createdAt: leased.createdAt,
          grantedAt: leased.grantedAt ?? claim.now,
          isFirstGrant: !isGranted,
          attempts: leased.attempts,
          leasedUntil: claim.now.adding(claim.lease)
        )
        decisions.granted.append(
          Grant(mail: mail, credentials: claim.credentials(mail), latest: latest)
        )
        if !isGranted {
          decisions.histories[leased.mailbox] = (history.adding(claim.now), claim.now)
        }
      case (.drop, _), (.send, nil):
        decisions.deleted.append(bytes)
        decisions.dropped += 1
      }
    }
    return decisions
  }

  /// Reads a leased mail.
  ///
  /// - Throws: ``PostgreSQLError/malformed`` if the row, or that of its subscriber, is damaged.
  private static func leasedMail(
    _ rows: QueryResult,
    _ row: Int
  ) throws(PostgreSQLError) -> LeasedMail {
    guard let id = MailID(bytes: try rows.required(row, 0, as: [UInt8].self)),
      let consentID = ExecutionID(bytes: try rows.required(row, 2, as: [UInt8].self)),
      let kind = MailKind(rawValue: Int64(try rows.required(row, 4, as: Int16.self)))
    else { throw .malformed }
    // Null where the subscriber is not there any more.
    let address = try rows.value(row, 9, as: String.self)
    return LeasedMail(
      id: id,
      consentID: consentID,
      subscriberID: try rows.required(row, 1),
      mailbox: try rows.required(row, 3),
      kind: kind,
      createdAt: try rows.required(row, 5),
      grantedAt: try rows.value(row, 6),
      attempts: Int(try rows.required(row, 7, as: Int32.self)),
      locale: try rows.value(row, 8),
      address: address,
      membership: address == nil ? .none : try rows.membership(row, from: 10),
      times: (try rows.array(row, 16, of: Timestamp.self) ?? []).compactMap(\.self),
      otherTimes: (try rows.array(row, 17, of: Timestamp.self) ?? []).compactMap(\.self)
    )
  }

  /// Stores decisions.
  ///
  /// - Returns: The mails to send; one whose mailbox another relay has charged meanwhile is due
  ///   again, and decided about again.
  private func store(
    _ decisions: Decisions,
    _ claim: MailClaim
  ) throws(PostgreSQLError) -> [ClaimedMail] {
    let granted = decisions.granted
    var queries: [Query] = []
    if !granted.isEmpty { queries.append(Self.wordings(granted.map(\.credentials), claim.now)) }
    var query = Query(
      """
      SELECT enlist.grant_mails($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      """
    )
    query.bind(claim.now.adding(claim.lease))
    query.bind(claim.now)
    query.bind(array: decisions.deleted.map(Optional.some))
    query.bind(array: granted.map { Optional($0.mail.id.bytes) })
    query.bind(array: granted.map { Optional($0.mail.isFirstGrant) })
    query.bind(array: granted.map(\.latest))
    query.bind(array: granted.map { Optional($0.credentials.messageID) })
    query.bind(array: granted.map { Optional($0.credentials.wording.hash) })
    query.bind(array: granted.map { Optional($0.credentials.unsubscribeHash) })
    query.bind(array: granted.map(\.credentials.confirmHash))
    query.bind(claim.now.adding(MailCredentials.confirmLifetime))
    query.bind(array: granted.map(\.credentials.codeHash))
    query.bind(claim.now.adding(MailCredentials.codeLifetime))
    queries.append(query)
    let isGranted = try change(each: queries).last?.array(0, 0, of: Bool.self) ?? []
    guard isGranted.count == granted.count else { throw .malformed }
    return zip(granted, isGranted).compactMap { $1 == true ? $0.mail : nil }
  }

  private static func wordings(_ credentials: [MailCredentials], _ now: Timestamp) -> Query {
    let wordings = Set(credentials.map(\.wording))
    var query = Query("SELECT enlist.store_wordings($1, $2, $3, $4, $5, $6, $7)")
    query.bind(array: wordings.map { Optional($0.hash) })
    query.bind(array: wordings.map { Optional(Int16(truncatingIfNeeded: $0.kind.rawValue)) })
    query.bind(array: wordings.map { Optional($0.language) })
    query.bind(array: wordings.map { Optional($0.subject) })
    query.bind(array: wordings.map { Optional($0.text) })
    query.bind(array: wordings.map { Optional($0.html) })
    query.bind(now)
    return query
  }
}
