internal import EmailAddresses
package import MailingList
package import Security
internal import Testing

/// A list whose rows a test writes and reads.
package struct RowsUnderTest {
  static let key = "ana@example.org"
  static let subscriber: Int64 = 77
  static let mailbox = [UInt8](repeating: 0xBB, count: MailboxHistory.hashLength)

  let session: any ListSession
  let keys: MailKeys

  /// Makes a list under test.
  ///
  /// - Parameters:
  ///   - session: A session of an empty list.
  ///   - keys: The keys of its service.
  package init(_ session: any ListSession, keys: MailKeys) {
    self.session = session
    self.keys = keys
  }
}

extension RowsUnderTest {
  var writer: ListWriter { ListWriter(session, keys: keys, optIn: .double) }

  func change(_ sql: String, _ values: ListValue...) throws {
    #expect(try session.change([Statement(sql)(values).required]))
  }

  func numbers(_ sql: String) throws -> [Int64?] {
    try session.rows(Statement(sql)()) { $0.number(0) }
  }

  func bytes(_ sql: String) throws -> [[UInt8]?] {
    try session.rows(Statement(sql)()) { $0.bytes(0) }
  }

  func purge(eventAge: Duration? = nil) throws {
    _ = try PurgeRun(session, keys).deletedCount(at: ListConformance.now, eventAge: eventAge)
  }

  /// Claims mails; by default, in ``session``.
  func claim(in session: (any ListSession)? = nil, limit: Int = 10) throws -> MailBatch {
    let claim = MailClaim(limit: limit, now: ListConformance.now, lease: .seconds(180)) {
      .sample(of: $0)
    }
    return try ListWriter(session ?? self.session, keys: keys, optIn: .double)
      .claim(claim, isShared: false)
  }

  /// Deletes the subscriber with all that belongs to it.
  func reset() throws {
    for table in ["subscribers", "consents", "outbox", "tokens", "codes", "mailboxes"] {
      _ = try session.change([Statement("DELETE FROM enlist.\(table)")()])
    }
  }

  /// Adds a person who signed up sixty days ago, and never confirmed.
  func addSubscriber() throws {
    try change(
      """
      INSERT INTO enlist.subscribers(
        id, address, address_key, created_at, updated_at, requested_at, state
      ) VALUES (?1, ?2, ?2, ?3, ?3, ?3, 0)
      """,
      .number(Self.subscriber),
      .text(Self.key),
      .time(ListConformance.days(-60))
    )
    try change(
      "INSERT INTO enlist.consents(id, subscriber_id, kind, at) VALUES (?1, ?2, 'requested', ?3)",
      .bytes(id().bytes), .number(Self.subscriber), .time(ListConformance.days(-60)))
  }

  /// Adds a mail that is due.
  func addMail(queue: Int64 = 1) throws {
    try change(
      """
      INSERT INTO enlist.outbox(
        queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at
      ) VALUES (?1, ?2, ?3, ?4, ?3, ?5, 1, ?2)
      """,
      .number(queue),
      .time(ListConformance.now),
      .bytes(id().bytes),
      .number(Self.subscriber),
      .bytes(Self.mailbox)
    )
  }

  func addMailbox(_ hash: [UInt8], _ times: [Timestamp]) throws {
    #expect(try session.change([Self.charge(hash, times)]))
  }

  /// Returns the change to other times of a mailbox, the last charge first.
  static func charge(_ mailbox: [UInt8], _ times: [Timestamp]) -> BoundStatement {
    Statement(
      """
      INSERT INTO enlist.mailboxes(mac, times) VALUES (?1, ?2)
        ON CONFLICT (mac) DO UPDATE SET times = excluded.times
      """
    )(.bytes(mailbox), .bytes(bytes(of: times)))
  }

  /// The times of the only mailbox.
  var mailboxTimes: [Timestamp] {
    get throws {
      let bytes = try bytes("SELECT times FROM enlist.mailboxes").first.flatMap(\.self) ?? []
      return stride(from: 0, to: bytes.count, by: 8).map { start in
        let number = bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
        return Timestamp(millisecondsSince1970: number)
      }
    }
  }

  private static func bytes(of times: [Timestamp]) -> [UInt8] {
    times.flatMap { time in
      withUnsafeBytes(of: time.millisecondsSince1970.bigEndian) { Array($0) }
    }
  }

  private func id() -> ExecutionID {
    var generator = RandomNumbers()
    return ExecutionID(at: ListConformance.now, using: &generator)
  }
}
