internal import EmailAddresses
package import Security

/// The writer of all changes except sign-ups: memberships, the outbox, keys and the purge.
// Not Sendable: one thread at a time uses it.
package final class ListWriter {
  package let session: any ListSession
  let keys: MailKeys
  let optIn: OptIn
  /// Whether a mail or its substitute row has been queued, or held mails may have room.
  package var mailsMayBeDue = false
  private var random: RandomPool

  package init(
    _ session: any ListSession, keys: MailKeys, optIn: OptIn = .single,
    random: RandomPool = RandomPool()
  ) {
    self.session = session
    self.keys = keys
    self.optIn = optIn
    self.random = random
  }

  /// Repeats a decision until its change has been made.
  ///
  /// - Parameter body: Reads, decides and changes; returns `nil` if another session has changed the
  ///   values that it read.
  /// - Throws: `StoreError.locked` after ten attempts.
  func deciding<Value>(_ body: () throws(StoreError) -> Value?) throws(StoreError) -> Value {
    for _ in 0..<10 {
      if let value = try body() { return value }
    }
    throw .locked
  }
}

// MARK: - Subscribers

extension ListWriter {
  static let memberByKey = Statement(
    "SELECT \(Member.columns) FROM enlist.subscribers s WHERE s.address_key = ?1")

  /// Locks the addresses of hashes until the end of the group, in the order of all other groups: a
  /// sign-up and a change of an unknown address exclude each other.
  static func locking(_ hashes: [SuppressionHashes]) -> [BoundStatement] {
    Set(hashes.flatMap(\.all).map(lockNumber)).sorted().map { lock(.number($0)) }
  }

  /// Returns the number of the lock of an address, like the function `address_lock`.
  ///
  /// Every role of the server sees locks, so the number is a part of the keyed hash.
  private static func lockNumber(_ hash: [UInt8]) -> Int64 {
    Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  private static let lock = Statement(sqlite: nil, postgreSQL: "SELECT pg_advisory_xact_lock(?1)")
}

// MARK: - Consents and mails

extension ListWriter {
  /// A link or a code, and the mail that contained it.
  struct Proof {
    let consentID: [UInt8]
    let madeAt: Timestamp
    let expiresAt: Timestamp?
    let messageID: String?
    let wording: [UInt8]?
    /// The page to which the sign-up of the mail leads, if any.
    var next: String?
    /// The owner's fields of that sign-up, if any.
    var fields: String?
    /// The time at which the link last requested a new one.
    let usedAt: Timestamp?
  }

  /// Returns the change that stores a consent after the sign-up, with a new id.
  ///
  /// - Parameters:
  ///   - proof: The link or the code of a mail; `nil` for a link of an export.
  ///   - next: The page that follows this consent; `nil` if it must not lead to one.
  func recording(
    _ kind: String, by means: ConsentMeans, of subscriber: Int64, _ proof: Proof?,
    _ request: MembershipRequest, next: String? = nil, fields: String? = nil
  ) -> (id: ExecutionID, BoundStatement) {
    let id = ExecutionID(at: request.time, using: &random)
    let consent = request.consent
    let statement = Self.insertConsent(
      [.bytes(id.bytes), .number(subscriber), .text(kind), .time(request.time)]
        + Self.origin(of: consent) + [
          .text(next),
          .bytes(proof?.consentID),
          .text(means.rawValue),
          .text(proof?.messageID),
          .bytes(proof?.wording),
          .text(fields),
        ]
    )
    return (id, statement)
  }

  /// Returns the change that queues a mail, or its substitute row if `kind` is `nil` or the address
  /// is invalid.
  func queuing(
    _ kind: MailKind?, to member: Member, consent: ExecutionID, at time: Timestamp
  ) -> BoundStatement {
    let address = member.validated
    let kind = address == nil ? 0 : kind?.rawValue ?? 0
    let mailbox = keys.mailbox(
      address?.canonicalKey ?? member.key, hasSubaddress: address?.hasSubaddress ?? false)
    return Self.insertMail(
      .number(kind > 0 ? 1 : 0), .time(time), .bytes(MailID(at: time, using: &random).bytes),
      .number(member.id), .bytes(consent.bytes), .number(kind), .bytes(mailbox))
  }

  /// The values of the columns from `text` to `locale`.
  static func origin(of consent: Consent) -> [ListValue] {
    [
      .text(consent.text), .text(consent.sourceURL), .text(consent.origin),
      .text(consent.clientAddress), .text(consent.userAgent), .text(consent.locale),
    ]
  }

  static let consentColumns = """
    id, subscriber_id, kind, at, text, source_url, origin, ip, user_agent, locale, next, request_id,
      means, message_id, wording, fields
    """
  private static let insertConsent = Statement(
    """
    INSERT INTO enlist.consents(\(consentColumns))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
    """
  )
  /// Queues a mail that is due immediately; SQLite's sign-ups use the same statement.
  ///
  /// Queue 0 has substitute rows, which send nothing. Queue 1 has mails that are new or leased, and
  /// queue 2 has mails that were tried before, which wait behind those of queue 1. Queue 3 has mails
  /// that are held until a budget has room.
  package static let insertMail = Statement(
    """
    INSERT INTO enlist.outbox(
      queue, due_at, id, subscriber_id, consent_id, kind, created_at, mailbox
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?2, ?7)
    """
  )
}
