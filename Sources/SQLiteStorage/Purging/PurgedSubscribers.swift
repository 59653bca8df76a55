internal import MailingList

/// Subscribers that have never confirmed, and that have neither a valid link nor a queued mail.
enum PurgedSubscribers {
  /// A subscriber to delete, as found by a reader.
  struct Candidate: Hashable, Sendable {
    let id: Int64
    /// The time of the last sign-up, in milliseconds since 1970.
    let requestedAt: Int64
  }

  /// The condition, without the check for queued mails; its parameters are the latest time of
  /// sign-up, leaving and suppression, and the current time.
  ///
  /// A valid link prevents the deletion of its subscriber.
  static let condition = """
    s.confirmed_at IS NULL AND s.state <> 1
      AND max(s.created_at, ifnull(s.unsubscribed_at, 0), ifnull(s.suppressed_at, 0)) <= ?1
      AND NOT EXISTS (
        SELECT 1 FROM tokens t
        WHERE t.subscriber_id = s.id AND t.purpose = 0 AND t.expires_at > ?2
      )
    """

  /// Finds subscribers to delete.
  ///
  /// A queued mail also prevents the deletion. No index covers the mails' subscribers, so this
  /// reads the outbox.
  static func find(
    after id: Int64,
    through last: Int64,
    at now: Timestamp,
    in db: SQLiteConnection
  ) throws(StoreError) -> [Candidate] {
    let statement = try db.statements[
      """
      SELECT s.id, s.requested_at FROM subscribers s
      WHERE s.id > ?3 AND s.id <= ?4 AND \(condition)
        AND s.id NOT IN (SELECT subscriber_id FROM outbox WHERE queue > 0)
      """
    ]
    statement.bind(now.adding(.zero - Purge.age).millisecondsSince1970, at: 1)
    statement.bind(now.millisecondsSince1970, at: 2)
    statement.bind(id, at: 3)
    statement.bind(last, at: 4)
    return try statement.all { (row) throws(StoreError) in
      guard let id = row.number(0), let requestedAt = row.number(1) else { throw .damaged }
      return Candidate(id: id, requestedAt: requestedAt)
    }
  }

  /// Reads the smallest id of a subscriber above an id, however distant.
  static func firstID(after id: Int64, in db: SQLiteConnection) throws(StoreError) -> Int64? {
    let statement = try db.statements["SELECT min(id) FROM subscribers WHERE id > ?1"]
    statement.bind(id, at: 1)
    return try statement.first { row in row.number(0) } ?? nil
  }
}
