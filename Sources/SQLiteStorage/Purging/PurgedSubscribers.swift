internal import GRDB
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
    in db: Database
  ) throws -> [Candidate] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT s.id, s.requested_at FROM subscribers s
        WHERE s.id > ?3 AND s.id <= ?4 AND \(condition)
          AND s.id NOT IN (SELECT subscriber_id FROM outbox WHERE queue > 0)
        """,
      arguments: [
        now.adding(.zero - Purge.age).millisecondsSince1970, now.millisecondsSince1970, id, last,
      ]
    )
    var candidates: [Candidate] = []
    while let row = try rows.next() {
      guard let id = Int64.fromDatabaseValue(row[0]),
        let requestedAt = Int64.fromDatabaseValue(row[1])
      else { throw StoreError.damaged }
      candidates.append(Candidate(id: id, requestedAt: requestedAt))
    }
    return candidates
  }

  /// Reads the smallest id of a subscriber above an id, however distant.
  static func firstID(after id: Int64, in db: Database) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT min(id) FROM subscribers WHERE id > ?", arguments: [id])
  }
}
