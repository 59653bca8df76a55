package import EmailAddresses
package import Security

/// The data of a subscriber, except for the consents.
package struct PersonRecord: Sendable {
  /// A mail that has not been sent.
  package struct UnsentMail: Sendable {
    package let kind: MailKind
    package let createdAt: Timestamp
    /// Whether a budget holds the mail.
    package let isHeld: Bool
    package let attempts: Int
    /// The relay's reply to the last attempt, or what failed; `nil` if there was none.
    package let lastError: String?
  }

  package let subscriber: Subscriber
  package let membership: Membership
  package let unsentMails: [UnsentMail]
  /// The times of the last mails to the mailbox, the latest first, also of those that are being
  /// sent, and those to other spellings of the address; `nil` without the secret.
  package let mailTimes: [Timestamp]?
}

extension ListReader {
  /// Reads what the list has about the subscriber of an address; `nil` if there is none.
  package func person(
    _ address: EmailAddress, _ keys: MailKeys?
  ) throws(StoreError) -> PersonRecord? {
    let found = try session.first(Self.findPerson(.text(address.key))) { (row) throws(StoreError) in
      (subscriber: try Self.subscriber(row), membership: try row.membership(9))
    }
    guard let found else { return nil }
    let mails = try session.rows(Self.findMails(.number(found.subscriber.id)), Self.unsentMail)
    let mailbox = keys?.hashes(of: address).mailbox
    let times = try mailbox.map { mailbox throws(StoreError) in
      try mailboxes(of: [mailbox]).values.flatMap(\.times).sorted(by: >)
    }
    return PersonRecord(
      subscriber: found.subscriber, membership: found.membership, unsentMails: mails,
      mailTimes: times)
  }

  private static func unsentMail(_ row: any ListRow) throws(StoreError) -> PersonRecord.UnsentMail {
    PersonRecord.UnsentMail(
      kind: try row.required(row.number(0).flatMap(MailKind.init(rawValue:))),
      createdAt: try row.required(row.time(1)), isHeld: row.number(2) == 3,
      attempts: Int(clamping: try row.required(row.number(3))), lastError: row.text(4))
  }

  private static let findPerson = Statement(
    """
    SELECT \(subscriberColumns), state, suppression, confirmed_at, unsubscribed_at, suppressed_at,
      rejections FROM enlist.subscribers WHERE address_key = ?1
    """
  )
  private static let findMails = Statement(
    """
    SELECT kind, created_at, queue, attempts, last_error FROM enlist.outbox
      WHERE subscriber_id = ?1 AND queue > 0 ORDER BY created_at, id
    """
  )
}

extension ListReader {
  /// Reads consents in the order of subscribers and consent ids, which begin with the time: a
  /// bounded number at a time, because one person can have any number.
  ///
  /// - Parameters:
  ///   - last: Only consents after this one are read; `nil` starts with the first.
  ///   - limit: The maximum number of consents, 1 or more.
  package func consents(
    ofSubscribers subscribers: ClosedRange<Int64>, after last: RecordedConsent?, limit: Int
  ) throws(StoreError) -> [RecordedConsent] {
    let statement = Self.listConsents(
      .number(last?.subscriberID ?? subscribers.lowerBound), .bytes(last?.id.bytes ?? []),
      .number(subscribers.upperBound), .number(Int64(limit)))
    return try session.rows(statement) { (row) throws(StoreError) in
      RecordedConsent(
        subscriberID: try row.required(row.number(0)),
        id: try row.required(row.bytes(1).flatMap { ExecutionID(bytes: $0) }),
        kind: try row.required(row.text(2)), time: try row.required(row.time(3)),
        means: row.text(11), requestID: row.bytes(12).flatMap { ExecutionID(bytes: $0) },
        messageID: row.text(13), wording: Self.wording(row),
        consent: Consent(
          text: row.text(4), sourceURL: row.text(5), origin: row.text(6),
          clientAddress: row.text(7), userAgent: row.text(8), locale: row.text(9),
          next: row.text(10), fields: row.text(17)))
    }
  }

  private static func wording(_ row: any ListRow) -> RecordedConsent.Wording? {
    guard let language = row.text(14), let subject = row.text(15), let text = row.text(16) else {
      return nil
    }
    return RecordedConsent.Wording(language: language, subject: subject, text: text)
  }

  private static let listConsents = Statement(
    """
    SELECT c.subscriber_id, c.id, c.kind, c.at, c.text, c.source_url, c.origin, c.ip,
      c.user_agent, c.locale, c.next, c.means, c.request_id, c.message_id,
      w.language, w.subject, w.text, c.fields
      FROM (
        SELECT * FROM enlist.consents
          WHERE (subscriber_id, id) > (?1, ?2) AND subscriber_id <= ?3
          ORDER BY subscriber_id, id LIMIT ?4
      ) AS c LEFT JOIN enlist.wordings w ON w.hash = c.wording
      ORDER BY c.subscriber_id, c.id
    """
  )
}
