internal import GRDB
internal import ListStorage
internal import MailingList

/// The queries for the ids of subscribers, which SQLite does not keep after a deletion.
enum Queries {
  /// Reads the highest id that was ever assigned to a subscriber; 0 if there has been no
  /// subscriber.
  ///
  /// - Throws: `DatabaseError`, or `StoreError.damaged` if no release could have assigned the
  ///   highest or the lowest id.
  static func lastSubscriberID(in db: Database) throws -> Int64 {
    let statement = try db.cachedStatement(
      sql: """
        SELECT max(highest_deleted, ifnull((SELECT max(id) FROM subscribers), 0)),
          ifnull((SELECT min(id) FROM subscribers), 1)
        FROM subscriber_ids
        """
    )
    guard let row = try Row.fetchOne(statement) else { return 0 }
    guard let id = Int64.fromDatabaseValue(row[0]), id >= 0,
      id <= ListReader.subscriberIDs.upperBound,
      let lowest = Int64.fromDatabaseValue(row[1]), ListReader.subscriberIDs.contains(lowest)
    else { throw StoreError.damaged }
    return id
  }

  /// Returns the id of the next subscriber.
  ///
  /// - Throws: `DatabaseError`, or `StoreError.damaged` if no id is left.
  static func nextSubscriberID(in db: Database) throws -> Int64 {
    let next = try lastSubscriberID(in: db) + 1
    guard ListReader.subscriberIDs.contains(next) else { throw StoreError.damaged }
    return next
  }
}
