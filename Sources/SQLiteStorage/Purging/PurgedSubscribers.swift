internal import GRDB
internal import MailingList

/// The subscribers that never confirmed, and that nothing reminds of any more.
enum PurgedSubscribers {
  /// The condition; its parameters are the latest time of sign-up, leaving and suppression, and the
  /// current time.
  ///
  /// A link that still works and a mail that waits keep a subscriber. The mails are read once for
  /// each statement: there are few, and no index over subscribers.
  static let condition = """
    s.confirmed_at IS NULL AND s.state <> 1
      AND max(s.created_at, ifnull(s.unsubscribed_at, 0), ifnull(s.suppressed_at, 0)) <= ?1
      AND NOT EXISTS (
        SELECT 1 FROM tokens t
        WHERE t.subscriber_id = s.id AND t.purpose = 0 AND t.expires_at > ?2
      )
      AND s.id NOT IN (SELECT subscriber_id FROM outbox WHERE queue = 1)
    """

  /// Finds subscribers to delete.
  ///
  /// - Parameters:
  ///   - id: Only greater ids are examined.
  ///   - last: The last id that is examined.
  ///   - now: The current time.
  ///   - db: Any connection.
  /// - Returns: Their ids.
  /// - Throws: `DatabaseError`.
  static func find(
    after id: Int64,
    through last: Int64,
    at now: Timestamp,
    in db: Database
  ) throws -> [Int64] {
    try Int64.fetchAll(
      db,
      sql: "SELECT s.id FROM subscribers s WHERE s.id > ?3 AND s.id <= ?4 AND \(condition)",
      arguments: [
        now.adding(.zero - Purge.age).millisecondsSince1970, now.millisecondsSince1970, id, last,
      ]
    )
  }

  /// Reads the highest id of a subscriber.
  ///
  /// - Parameter db: Any connection.
  /// - Returns: The id; 0 without subscribers.
  /// - Throws: `DatabaseError`.
  static func highestID(in db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT max(id) FROM subscribers") ?? 0
  }
}
