internal import EmailAddresses
package import MailingList
package import Security
internal import Testing

/// The rules of a membership, generated from ``Membership``: every state, reason and age of a proof
/// has one expected result, whatever the engine.
package struct MembershipRules {
  /// What the owner of the address, a relay, the operator or the purge does.
  package enum Act: Hashable, Sendable, CaseIterable {
    case confirmByLink
    case confirmByCode
    case leave
    case renew
    case suppress
    case reject
    case deliver
    case purge
  }

  package static let now = Timestamp(millisecondsSince1970: 1_780_272_000_000)
  private static let key = "ana@example.org"
  private static let subscriber: Int64 = 77
  private static let token: [UInt8] = [0xCC]
  private static let code: [UInt8] = [0xDD]
  private static let mailbox: [UInt8] = Array(repeating: 0xBB, count: 32)

  private let session: any ListSession
  private let keys: MailKeys
  private let writer: ListWriter

  /// - Parameter session: A session of a list, whose content is replaced.
  package init(_ session: any ListSession, keys: MailKeys) {
    self.session = session
    self.keys = keys
    writer = ListWriter(session, keys: keys, optIn: .double)
  }

  /// Compares the result of an act for every membership with that of ``Membership``.
  package func check(_ act: Act) throws {
    for before in Self.memberships {
      switch act {
      case .confirmByLink, .confirmByCode:
        for (madeAt, expiresAt) in [(-1, 6), (-33, 1), (-55, 1), (-1, -1), (-5, 1)] {
          let proof = (madeAt: Self.days(madeAt), expiresAt: Self.days(expiresAt))
          try confirm(byLink: act == .confirmByLink, before, proof)
        }
      case .leave: try leave(before)
      case .renew: try renew(before)
      case .suppress:
        for reason in Suppression.allCases { try suppress(before, reason) }
      case .reject: try settle(before, .rejected, expected: before.rejected(at: Self.now))
      case .deliver: try settle(before, .sent, expected: before.delivered())
      case .purge: try purge(before)
      }
    }
  }

  package static func days(_ days: Int) -> Timestamp { now.adding(.seconds(days * 86_400)) }

  /// Memberships in every row of the table of states.
  package static let memberships: [Membership] = [
    Membership(state: .pending),
    Membership(state: .pending, rejections: 1),
    Membership(state: .subscribed),
    Membership(state: .subscribed, confirmedAt: days(-50)),
    Membership(state: .subscribed, confirmedAt: days(-50), rejections: 1),
    Membership(state: .unsubscribed, confirmedAt: days(-50), unsubscribedAt: days(-5)),
    Membership(state: .unsubscribed, unsubscribedAt: days(-5)),
    Membership(state: .unsubscribed, unsubscribedAt: days(-30)),
    Membership(state: .unsubscribed, unsubscribedAt: days(-31), rejections: 1),
    Membership(state: .suppressed, suppression: .hardBounce, suppressedAt: days(-5), rejections: 2),
    Membership(state: .suppressed, suppression: .hardBounce, suppressedAt: days(-30)),
    Membership(
      state: .suppressed, suppression: .hardBounce, confirmedAt: days(-50),
      unsubscribedAt: days(-40), suppressedAt: days(-35)),
    Membership(
      state: .suppressed, suppression: .complaint, confirmedAt: days(-50), suppressedAt: days(-31)),
    Membership(state: .suppressed, suppression: .operator, suppressedAt: days(-31)),
    Membership(state: .suppressed, suppression: .objected, suppressedAt: days(-31)),
  ]
}

// MARK: - Acts

extension MembershipRules {
  private var request: MembershipRequest { MembershipRequest(at: Self.now) }
  private var execution: ExecutionID {
    var generator = RandomNumbers()
    return ExecutionID(at: Self.now, using: &generator)
  }

  private func confirm(
    byLink: Bool, _ before: Membership, _ proof: (madeAt: Timestamp, expiresAt: Timestamp)
  ) throws {
    let id = execution
    try reset(to: before, execution: id)
    let expected =
      byLink
      ? before.confirm(at: Self.now, linkMadeAt: proof.madeAt, expiresAt: proof.expiresAt)
      : proof.expiresAt <= Self.now
        ? .gone : before.confirm(at: Self.now, proofMadeAt: proof.madeAt)
    let subscriber = ConfirmedSubscriber(id: Self.subscriber, next: "next")
    let result: ConfirmationResult
    if byLink {
      try add(.confirm, of: id, proof.madeAt, proof.expiresAt)
      result = try writer.confirm(Self.token, request)
    } else {
      try change(
        """
        INSERT INTO enlist.codes(subscriber_id, hash, made_at, expires_at, consent_id)
          VALUES (?1, ?2, ?3, ?4, ?5)
        """,
        .number(Self.subscriber),
        .bytes(Self.code),
        .time(proof.madeAt),
        .time(proof.expiresAt),
        .bytes(id.bytes)
      )
      result = try writer.confirm(code: { hash, _ in hash == Self.code }, of: id, request)
    }
    switch expected {
    case .confirmed: #expect(result == .confirmed(subscriber), "\(before) \(proof)")
    case .already: #expect(result == .already(subscriber), "\(before) \(proof)")
    case .gone: #expect(result == .refused, "\(before) \(proof)")
    }
    if case .confirmed(let after) = expected {
      #expect(try membership == after, "\(before) \(proof)")
      #expect(try consents == ["requested", byLink ? "confirmed link" : "confirmed code"])
    } else {
      #expect(try membership == before, "\(before) \(proof)")
      #expect(try consents == ["requested"])
    }
  }

  private func leave(_ before: Membership) throws {
    let id = execution
    try reset(to: before, execution: id)
    try add(.unsubscribe, of: id, Self.days(-1), nil)
    let result = try writer.leave(.link(Self.token), by: .link, request)
    let after = before.leave(at: Self.now)
    #expect(result == (after == nil ? .already : .left), "\(before)")
    #expect(try membership == after ?? before, "\(before)")
    #expect(try consents == (after == nil ? ["requested"] : ["requested", "withdrawn link"]))
  }

  private func renew(_ before: Membership) throws {
    let id = execution
    try reset(to: before, execution: id)
    try add(.confirm, of: id, Self.days(-8), Self.days(-1))
    #expect(try writer.renew(Self.token, request))
    #expect(try membership == before, "\(before)")
    #expect(try mailKinds == [before.renewal?.rawValue ?? 0], "\(before)")
    // The same link again stores nothing.
    #expect(try writer.renew(Self.token, request))
    #expect(try consents == ["requested", "requested renewal"])
  }

  private func suppress(_ before: Membership, _ reason: Suppression) throws {
    try reset(to: before, execution: execution)
    let address = try EmailAddress(validating: Self.key)
    let after = before.suppress(reason, at: Self.now)
    let results = try writer.suppress([address, address], reason, by: .command, at: Self.now)
    #expect(results == [after == nil ? .already : .suppressed, .already], "\(before) \(reason)")
    #expect(try membership == after ?? before, "\(before) \(reason)")
  }

  private func settle(
    _ before: Membership, _ outcome: DeliveryOutcome, expected: Membership?
  ) throws {
    let id = execution
    try reset(to: before, execution: id)
    var generator = RandomNumbers()
    let mail = ClaimedMail(
      id: MailID(at: Self.now, using: &generator), kind: .confirm, subscriberID: Self.subscriber,
      consentID: id, recipient: try EmailAddress(validating: Self.key), locale: nil,
      createdAt: Self.now, grantedAt: Self.now, isFirstGrant: true, attempts: 0,
      leasedUntil: Self.days(1))
    try change(
      """
      INSERT INTO enlist.outbox(
        queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at, granted_at
      ) VALUES (1, ?1, ?2, ?3, ?4, ?5, 1, ?6, ?6)
      """,
      .time(mail.leasedUntil),
      .bytes(mail.id.bytes),
      .number(Self.subscriber),
      .bytes(id.bytes),
      .bytes(Self.mailbox),
      .time(Self.now)
    )
    try writer.settle([MailSettlement(mail, outcome, at: Self.now)])
    #expect(try membership == expected ?? before, "\(before)")
    #expect(try mailKinds == [])
  }

  /// Confirmed people are kept, and others for thirty days after they left or were suppressed.
  private func purge(_ before: Membership) throws {
    try reset(to: before, execution: execution)
    let isEndedLately = before.endedAt.map { $0 > Self.days(-30) } ?? false
    let isKept = before.state == .subscribed || before.confirmedAt != nil || isEndedLately
    #expect(try PurgeRun(session, keys).deletedCount(at: Self.now) == (isKept ? 0 : 1), "\(before)")
    #expect(try membership == (isKept ? before : nil), "\(before)")
    #expect(try consents == (isKept ? ["requested"] : []), "\(before)")
  }
}

// MARK: - The list

extension MembershipRules {
  private func reset(to membership: Membership, execution: ExecutionID) throws {
    for table in [
      "subscribers", "consents", "outbox", "tokens", "codes", "mailboxes", "suppressions",
    ] {
      try change("DELETE FROM enlist.\(table)")
    }
    try change(
      """
      INSERT INTO enlist.subscribers(
        id, address, address_key, created_at, updated_at, requested_at, state, suppression,
        confirmed_at, unsubscribed_at, suppressed_at, rejections
      ) VALUES (?1, ?2, ?2, ?3, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """,
      .number(Self.subscriber),
      .text(Self.key),
      .time(Self.days(-60)),
      .number(membership.state?.rawValue),
      .number(membership.suppression?.rawValue),
      .time(membership.confirmedAt),
      .time(membership.unsubscribedAt),
      .time(membership.suppressedAt),
      .number(Int64(membership.rejections))
    )
    try change(
      """
      INSERT INTO enlist.consents(id, subscriber_id, kind, at, next)
        VALUES (?1, ?2, 'requested', ?3, 'next')
      """,
      .bytes(execution.bytes),
      .number(Self.subscriber),
      .time(Self.days(-60))
    )
  }

  private func add(
    _ purpose: LinkPurpose, of execution: ExecutionID, _ madeAt: Timestamp, _ expiresAt: Timestamp?
  ) throws {
    try change(
      """
      INSERT INTO enlist.tokens(
        hash, purpose, subscriber_id, consent_id, made_at, expires_at, message_id, wording
      ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'mail@example.org', ?1)
      """,
      .bytes(Self.token),
      .number(purpose.rawValue),
      .number(Self.subscriber),
      .bytes(execution.bytes),
      .time(madeAt),
      .time(expiresAt)
    )
  }

  private func change(_ sql: String, _ values: ListValue...) throws {
    #expect(try session.change([Statement(sql)(values)]))
  }

  private var membership: Membership? {
    get throws {
      let statement = Statement(
        """
        SELECT state, suppression, confirmed_at, unsubscribed_at, suppressed_at, rejections
          FROM enlist.subscribers
        """
      )
      return try session.first(statement()) { (row) throws(StoreError) in try row.membership(0) }
    }
  }

  /// The kinds of the consents, and the means of those after the sign-up.
  private var consents: [String] {
    get throws {
      try session.rows(Statement("SELECT kind, means FROM enlist.consents ORDER BY at, id")()) {
        [$0.text(0), $0.text(1)].compactMap(\.self).joined(separator: " ")
      }
    }
  }

  /// The kinds of the mails in the outbox; 0 stands for one that is not to be sent.
  private var mailKinds: [Int64?] {
    get throws { try session.rows(Statement("SELECT kind FROM enlist.outbox")()) { $0.number(0) } }
  }
}
