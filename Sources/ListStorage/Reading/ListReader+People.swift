package import EmailAddresses
package import MailingList
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
