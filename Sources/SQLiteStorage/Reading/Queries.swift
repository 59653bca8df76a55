internal import MailingList

/// The queries that read the database.
enum Queries {
  /// The valid ids of a subscriber; the upper limit ensures that adding to an id never overflows.
  static let subscriberIDs: ClosedRange<Int64> = 1...(1 << 62)

  /// Whether an execution was stored within ``ExecutionID/lifetime``.
  static func hasStored(
    _ id: ExecutionID,
    at now: Timestamp,
    in db: SQLiteConnection
  ) throws(StoreError) -> Bool {
    guard id.isKnown(at: now) else { return false }
    let statement = try db.statements[
      "SELECT 1 FROM consents WHERE id = ?1 AND kind = 'requested'"
    ]
    statement.bind(id.bytes, at: 1)
    return try statement.first { _ in true } ?? false
  }

  /// Reads one page of the list in the order of ids.
  ///
  /// - Parameter id: Only subscribers with a greater id are read; `nil` starts with the first.
  static func subscribers(
    after id: Int64?,
    limit: Int,
    in db: SQLiteConnection
  ) throws(StoreError) -> [Subscriber] {
    let statement = try db.statements[
      """
      SELECT id, address, state, locale, created_at, confirmed_at, unsubscribed_at
      FROM subscribers WHERE id > ?1 ORDER BY id LIMIT ?2
      """
    ]
    statement.bind(id ?? .min, at: 1)
    statement.bind(Int64(max(limit, 0)), at: 2)
    var last: Int64 = 0
    return try statement.all { (row) throws(StoreError) in
      guard
        let id = row.number(0), subscriberIDs.contains(id), id > last,
        let address = row.text(1),
        let state = row.number(2).flatMap(Subscriber.State.init(rawValue:)),
        let createdAt = row.time(4)
      else { throw .damaged }
      last = id
      return Subscriber(
        id: id,
        address: address,
        state: state,
        locale: row.text(3),
        createdAt: createdAt,
        confirmedAt: row.time(5),
        unsubscribedAt: row.time(6)
      )
    }
  }

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
      guard let id = row.number(0), id >= 0, id <= subscriberIDs.upperBound,
        let lowest = row.number(1), subscriberIDs.contains(lowest)
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
    guard subscriberIDs.contains(next) else { throw .damaged }
    return next
  }
}
