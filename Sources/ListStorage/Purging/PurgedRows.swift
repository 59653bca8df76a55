internal import MailingList

/// Rows that are deleted after a fixed time, regardless of their subscriber.
enum PurgedRows: Sendable {
  /// Links that expired 30 days ago.
  case tokens
  /// Codes that expired three days ago, and counters of tries without a code.
  case codes
  /// Mailboxes without a mail for 30 days.
  case mailboxes
  /// Counts of mails that no budget uses any longer, one hour at a time.
  case mailHours
  /// Events, except for the newest, from which positions continue.
  case events(age: Duration)
  /// Tallies of hours 90 days ago; those of days remain.
  case tallies

  /// The maximum number of rows that one read finds.
  static let maximumFound = 1024

  enum Key: Sendable {
    case number(Int64)
    case bytes([UInt8])

    fileprivate var value: ListValue {
      switch self {
      case .number(let number): .number(number)
      case .bytes(let bytes): .bytes(bytes)
      }
    }
  }

  /// The maximum number of rows that a change deletes.
  var batch: Int {
    switch self {
    case .tokens, .codes, .mailboxes, .mailHours, .tallies: Purge.batch
    // Short rows without an index, of which an import adds a million.
    case .events: 256
    }
  }

  fileprivate func time(at now: Timestamp) -> ListValue {
    switch self {
    case .tokens: .time(now.adding(.zero - Purge.age))
    case .mailboxes:
      .bytes(StoredMailbox().adding(now.adding(.milliseconds(1) - Purge.age)).bytes)
    case .codes: .time(now.adding(.zero - Purge.codeAge))
    case .mailHours: .number(now.adding(.zero - MailBudgets.countedPeriod).hour)
    case .events(let age): .time(now.adding(.zero - age))
    case .tallies: .number(now.adding(.zero - Purge.tallyAge).hour)
    }
  }

  fileprivate var find: Statement {
    Statement(
      """
      SELECT DISTINCT \(key) FROM \(source) WHERE \(condition) LIMIT \(Self.maximumFound)
      """
    )
  }

  /// Deletes a row if it is still due.
  fileprivate var delete: Statement {
    Statement("DELETE FROM enlist.\(table) WHERE \(key) = ?2 AND \(condition)")
  }

  /// The rows that are examined.
  private var source: String {
    switch self {
    case .tokens, .codes, .mailboxes, .mailHours, .tallies: "enlist.\(table)"
    // No index has the times, which are roughly in the order of positions.
    case .events:
      "(SELECT * FROM enlist.events ORDER BY position LIMIT \(Self.maximumFound)) AS oldest"
    }
  }

  private var table: String {
    switch self {
    case .tokens: "tokens"
    case .codes: "codes"
    case .mailboxes: "mailboxes"
    case .mailHours: "mail_hours"
    case .events: "events"
    case .tallies: "tallies"
    }
  }

  private var key: String {
    switch self {
    case .tokens: "hash"
    case .codes: "subscriber_id"
    case .mailboxes: "mac"
    case .mailHours: "hour"
    case .events: "position"
    case .tallies: "start"
    }
  }

  private var condition: String {
    switch self {
    case .tokens: "expires_at <= ?1"
    case .codes: "(expires_at IS NULL OR expires_at <= ?1)"
    case .mailboxes: "times < ?1"
    case .mailHours: "hour <= ?1"
    case .events: "at <= ?1 AND position < (SELECT max(position) FROM enlist.events)"
    case .tallies: "resolution = \(Tally.Resolution.hour.rawValue) AND start <= ?1"
    }
  }
}

extension ListReader {
  /// Finds the keys of rows to delete, at most ``PurgedRows/maximumFound``.
  func find(_ rows: PurgedRows, at now: Timestamp) throws(StoreError) -> [PurgedRows.Key] {
    try session.rows(rows.find(rows.time(at: now))) { row in
      row.number(0).map { .number($0) } ?? row.bytes(0).map { .bytes($0) }
    }
    .compactMap(\.self)
  }
}

extension ListWriter {
  func purge(_ rows: PurgedRows, _ keys: [PurgedRows.Key], at now: Timestamp) throws(StoreError) {
    let delete = rows.delete
    _ = try session.change(groups: keys.map { [delete(rows.time(at: now), $0.value)] })
  }
}
