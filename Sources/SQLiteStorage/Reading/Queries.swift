internal import MailingList

/// The queries for the ids of subscribers, which SQLite does not keep after a deletion.
enum Queries {
  /// Reads the highest id that was ever assigned to a subscriber; 0 if there has been no
  /// subscriber.
  ///
  /// - Throws: `StoreError`, which is `damaged` if no release could have assigned the highest or the
  ///   lowest id.
  static func lastSubscriberID(in db: SQLiteConnection) throws(StoreError) -> Int64 {
    let statement = try db.statements[
      """
      SELECT max(highest_deleted, ifnull((SELECT max(id) FROM subscribers), 0)),
        ifnull((SELECT min(id) FROM subscribers), 1)
      FROM subscriber_ids
      """
    ]
    let last = try statement.first { (row) throws(StoreError) in
      guard let id = row.number(0), id >= 0, id <= ListReader.subscriberIDs.upperBound,
        let lowest = row.number(1), ListReader.subscriberIDs.contains(lowest)
      else { throw .damaged }
      return id
    }
    return last ?? 0
  }

  /// Returns the id of the next subscriber.
  ///
  /// - Throws: `StoreError`, which is `damaged` if no id is left.
  static func nextSubscriberID(in db: SQLiteConnection) throws(StoreError) -> Int64 {
    let next = try lastSubscriberID(in: db) + 1
    guard ListReader.subscriberIDs.contains(next) else { throw .damaged }
    return next
  }
}
