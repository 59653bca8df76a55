internal import Security

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

/// A subscriber to delete, as found by a reader.
struct PurgeCandidate: Hashable, Sendable {
  let id: Int64
  /// The time of the last sign-up.
  let requestedAt: Timestamp

  /// The condition for subscribers that have never confirmed and that have no valid link; its
  /// parameters are the latest time of sign-up, leaving and suppression, and the current time.
  fileprivate static let isDue = """
    s.confirmed_at IS NULL AND s.state <> 1 AND s.created_at <= ?1 AND s.updated_at <= ?1
      AND coalesce(s.unsubscribed_at, s.created_at) <= ?1
      AND coalesce(s.suppressed_at, s.created_at) <= ?1
      AND NOT EXISTS (
        SELECT 1 FROM enlist.tokens t
        WHERE t.subscriber_id = s.id AND t.purpose = 0 AND t.expires_at > ?2
      )
    """

  fileprivate static func times(at now: Timestamp) -> [ListValue] {
    [.time(now.adding(.zero - Purge.age)), .time(now)]
  }
}

extension ListReader {
  /// Finds subscribers to delete.
  ///
  /// A queued mail also prevents the deletion. No index covers the mails' subscribers, so this
  /// reads the outbox.
  func purgeCandidates(
    after id: Int64, through last: Int64, at now: Timestamp
  ) throws(StoreError) -> [PurgeCandidate] {
    let values = PurgeCandidate.times(at: now) + [.number(id), .number(last)]
    return try session.rows(Self.findCandidates(values)) { (row) throws(StoreError) in
      PurgeCandidate(
        id: try row.required(row.number(0)), requestedAt: try row.required(row.time(1)))
    }
  }

  /// Reads the smallest id of a subscriber above an id, however distant.
  func firstSubscriberID(after id: Int64) throws(StoreError) -> Int64? {
    try session.first(Self.findFirst(.number(id))) { $0.number(0) } ?? nil
  }

  private static let findCandidates = Statement(
    """
    SELECT s.id, s.requested_at FROM enlist.subscribers s
      WHERE s.id > ?3 AND s.id <= ?4 AND \(PurgeCandidate.isDue)
        AND s.id NOT IN (SELECT subscriber_id FROM enlist.outbox WHERE queue > 0)
    """
  )
  private static let findFirst = Statement("SELECT min(id) FROM enlist.subscribers WHERE id > ?1")
}

extension ListWriter {
  /// Deletes subscribers with all that belongs to them, if they are still due; returns their number.
  ///
  /// A suppression that must not end remains as a keyed hash; so a subscriber whose row cannot be
  /// read remains, too. Queued mails are not checked again, because that would read the whole
  /// outbox: a mail that was queued since then changed `requested_at` in the same transaction.
  func purge(_ candidates: [PurgeCandidate], at now: Timestamp) throws(StoreError) -> Int {
    let statements = candidates.map {
      Self.findDue(PurgeCandidate.times(at: now) + [.number($0.id), .time($0.requestedAt)])
    }
    let found = try session.rows(ofEach: statements) { try? Member($0) }
    var groups: [[BoundStatement]] = []
    for case (let candidate, let member??) in zip(candidates, found.map(\.first)) {
      let hashes = keys.suppressions(ofKey: member.key)
      var changes = Self.locking([hashes])
      changes += member.deleting(requestedAt: candidate.requestedAt)
      if member.membership.suppression != nil {
        var stored = try ListReader(session).suppressions(of: [hashes])
        stored.keep(member.membership, at: now, of: hashes)
        changes += stored.changes
      }
      changes.append(member.recording(.expired, by: .system, at: now))
      groups.append(changes)
    }
    return try session.change(groups: groups).count { $0 }
  }

  private static let findDue = Statement(
    """
    SELECT \(Member.columns) FROM enlist.subscribers s
      WHERE s.id = ?3 AND s.requested_at = ?4 AND \(PurgeCandidate.isDue)
    """
  )
}
