internal import MailingList

/// Rows that are deleted after a fixed time, regardless of their subscriber.
enum PurgedRows: CaseIterable, Sendable {
  /// Links that expired 30 days ago.
  case tokens
  /// Codes that expired three days ago, and counters of tries without a code.
  case codes
  /// Mailboxes without a mail for 30 days.
  case mailboxes

  /// The maximum number of rows that one read finds.
  static let maximumFound = 1024

  enum Key: Sendable {
    case number(Int64)
    case bytes([UInt8])
  }

  /// Finds the keys of rows to delete, at most ``maximumFound``.
  func find(at now: Timestamp, in db: SQLiteConnection) throws(StoreError) -> [Key] {
    let statement = try db.statements[
      "SELECT \(key) FROM \(table) WHERE \(condition) LIMIT \(Self.maximumFound)"
    ]
    statement.bind(time(at: now), at: 1)
    return try statement.all { row in
      row.number(0).map { .number($0) } ?? .bytes(row.bytes(0) ?? [])
    }
  }

  /// Deletes a row if it is still due; its parameters are those of ``condition`` and the key.
  var deleteSQL: String { "DELETE FROM \(table) WHERE \(key) = ?2 AND \(condition)" }

  /// Returns the time for the condition, in milliseconds since 1970.
  func time(at now: Timestamp) -> Int64 {
    switch self {
    case .tokens, .mailboxes: now.adding(.zero - Purge.age).millisecondsSince1970
    case .codes: now.adding(.zero - Purge.codeAge).millisecondsSince1970
    }
  }

  private var table: String {
    switch self {
    case .tokens: "tokens"
    case .codes: "codes"
    case .mailboxes: "mailboxes"
    }
  }

  private var key: String {
    switch self {
    case .tokens: "hash"
    case .codes: "subscriber_id"
    case .mailboxes: "mac"
    }
  }

  private var condition: String {
    switch self {
    case .tokens: "expires_at <= ?1"
    case .codes: "(expires_at IS NULL OR expires_at <= ?1)"
    case .mailboxes: "mail_1 <= ?1"
    }
  }
}
