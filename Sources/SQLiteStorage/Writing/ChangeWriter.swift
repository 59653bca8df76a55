internal import EmailAddresses
internal import MailingList
internal import Secrets

/// The writer of all changes except sign-ups: memberships, the outbox, the purge.
///
/// Its functions are called within a transaction that ``SignUpWriter`` begins and ends.
// Not Sendable: only the writer's thread uses it.
final class ChangeWriter {
  let statements: StatementCache
  let keys: MailKeys
  let optIn: OptIn
  /// The lock of the process that sends the mails; `nil` if the database is not a regular file.
  let relayLock: RelayLock?
  /// The progress of the open transaction, or of the last one if none is open.
  var progress = Progress()
  /// Whether the mails claimed by earlier processes have been made due.
  private var isRecovered = false
  private var random: PooledRandomNumberGenerator

  init(
    _ statements: StatementCache,
    keys: MailKeys,
    optIn: OptIn,
    relayLock: RelayLock?,
    random: PooledRandomNumberGenerator
  ) {
    self.statements = statements
    self.keys = keys
    self.optIn = optIn
    self.relayLock = relayLock
    self.random = random
  }

  /// Creates the writer of a command, which sends no mails.
  static func forCommand(_ db: SQLiteConnection, _ keys: MailKeys) -> ChangeWriter {
    ChangeWriter(
      StatementCache(db),
      keys: keys,
      optIn: .single,
      relayLock: nil,
      random: PooledRandomNumberGenerator(pool: RandomPool())
    )
  }

  /// Effects of a transaction that count only once it is durable.
  struct Progress {
    /// Whether a mail or its substitute row has been queued.
    var hasNewMail = false
    /// Whether the claims of an earlier process have been released.
    var hasRecovered = false
  }

  /// Records that the transaction is durable.
  func committed() {
    if progress.hasRecovered { isRecovered = true }
  }

  /// The longest possible time until a mail is due, which exceeds any lease and any retry delay.
  private static let longestDelay: Duration = .seconds(86_400)

  /// Makes mails due that an earlier process claimed; only the first durable call has an effect.
  ///
  /// The same applies to mails beyond ``longestDelay``: they were queued while the clock was ahead,
  /// and would wait until it reached that time again.
  func recoverClaims(at now: Timestamp) throws(StoreError) {
    if isRecovered || progress.hasRecovered { return }
    let statement = try statements[
      """
      UPDATE outbox SET queue = iif(attempts > 0, 2, 1), due_at = ?1, is_claimed = 0
        WHERE queue > 0 AND (is_claimed = 1 OR due_at > ?2)
      """
    ]
    statement.bind(now.millisecondsSince1970, at: 1)
    statement.bind(now.adding(Self.longestDelay).millisecondsSince1970, at: 2)
    try statement.run()
    progress.hasRecovered = true
  }
}

// MARK: - Subscribers

extension ChangeWriter {
  /// The attributes of a subscriber that changes need.
  struct Member {
    let id: Int64
    let membership: Membership
    let address: String
    let key: String

    /// The address, validated again; `nil` if no release would have stored it.
    var validated: EmailAddress? { try? EmailAddress(validating: address, level: .test) }
  }

  func member(_ id: Int64) throws(StoreError) -> Member? {
    try findMember(id)?.get()
  }

  /// Reads a subscriber whose row may be damaged.
  ///
  /// The result is `StoreError.damaged` for values that no release has written, and `nil` if there
  /// is no subscriber.
  ///
  /// - Throws: `StoreError` when the database cannot be read.
  func findMember(_ id: Int64) throws(StoreError) -> Result<Member, StoreError>? {
    let statement = try statements[Self.memberSQL + " id = ?1"]
    statement.bind(id, at: 1)
    return try statement.first { row in
      Result { () throws(StoreError) in try Self.readMember(row) }
    }
  }

  func member(withKey key: String) throws(StoreError) -> Member? {
    let statement = try statements[Self.memberSQL + " address_key = ?1"]
    statement.bind(key, at: 1)
    return try statement.first(Self.readMember)
  }

  func write(
    _ membership: Membership,
    of id: Int64,
    at time: Timestamp
  ) throws(StoreError) {
    let statement = try statements[
      """
      UPDATE subscribers SET state = ?3, suppression = ?4, confirmed_at = ?5,
        unsubscribed_at = ?6, suppressed_at = ?7, rejections = ?8, updated_at = ?2 WHERE id = ?1
      """
    ]
    statement.bind(id, at: 1)
    statement.bind(time.millisecondsSince1970, at: 2)
    statement.bind(membership, at: 3)
    try statement.run()
  }

  private static let memberSQL = """
    SELECT id, address, address_key, state, suppression, confirmed_at, unsubscribed_at,
      suppressed_at, rejections FROM subscribers WHERE
    """

  /// Reads a subscriber from nine columns.
  static func readMember(_ row: PreparedStatement) throws(StoreError) -> Member {
    guard let id = row.number(0), let address = row.text(1), let key = row.text(2) else {
      throw .damaged
    }
    return Member(id: id, membership: try row.membership(3), address: address, key: key)
  }
}

// MARK: - Consents and mails

extension ChangeWriter {
  /// The evidence of a consent after the sign-up.
  struct Evidence {
    let kind: String
    let means: ConsentMeans
    let request: MembershipRequest
    /// The link or the code that the subscriber used.
    let proof: Proof
    /// The page that follows this consent; `nil` if it must not lead to one.
    var next: String?
  }

  /// A link or a code, and the mail that contained it.
  struct Proof {
    let subscriberID: Int64
    let consentID: [UInt8]
    let madeAt: Timestamp
    let expiresAt: Timestamp?
    let messageID: String?
    let wording: [UInt8]?
  }

  /// Stores a consent with a new id.
  @discardableResult
  func record(_ evidence: Evidence) throws(StoreError) -> ExecutionID {
    let statement = try statements[
      """
      INSERT INTO consents(
        id, subscriber_id, kind, at, text, source_url, origin, ip, user_agent, locale,
        next, request_id, means, message_id, wording
      ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
      """
    ]
    let (request, proof) = (evidence.request, evidence.proof)
    let id = ExecutionID(at: request.time, using: &random)
    statement.bind(id.bytes, at: 1)
    statement.bind(proof.subscriberID, at: 2)
    statement.bind(evidence.kind, at: 3)
    statement.bind(request.time.millisecondsSince1970, at: 4)
    statement.bind(request.consent, at: 5)
    statement.bind(evidence.next, at: 11)
    statement.bind(proof.consentID, at: 12)
    statement.bind(evidence.means.rawValue, at: 13)
    statement.bind(proof.messageID, at: 14)
    statement.bind(proof.wording, at: 15)
    try statement.run()
    return id
  }

  /// Reads the page that follows a consent; `nil` without one.
  func next(after consent: [UInt8]) throws(StoreError) -> String? {
    let statement = try statements["SELECT next FROM consents WHERE id = ?1"]
    statement.bind(consent, at: 1)
    return try statement.first { row in row.text(0) } ?? nil
  }

  /// Queues a mail, or its substitute row if `kind` is `nil` or the address is invalid.
  func queueMail(
    _ kind: MailKind?,
    to member: Member,
    consent: ExecutionID,
    at time: Timestamp
  ) throws(StoreError) {
    let address = member.validated
    let kind = address == nil ? nil : kind
    let statement = try statements[OutboxRow.insertSQL]
    statement.bind(time.millisecondsSince1970, at: 1)
    statement.bind(MailID(at: time, using: &random).bytes, at: 2)
    statement.bind(member.id, at: 3)
    statement.bind(consent.bytes, at: 4)
    statement.bind(kind?.rawValue ?? 0, at: 5)
    statement.bind(
      keys.mailbox(
        address?.canonicalKey ?? member.key,
        hasSubaddress: address?.hasSubaddress ?? false
      ),
      at: 6
    )
    try statement.run()
    progress.hasNewMail = true
  }
}
