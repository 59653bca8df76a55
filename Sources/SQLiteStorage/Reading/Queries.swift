internal import Foundation
internal import GRDB
internal import MailingList

/// The queries that read the database.
enum Queries {
  /// The valid ids of a subscriber; the upper limit ensures that adding to an id never overflows.
  static let subscriberIDs: ClosedRange<Int64> = 1...(1 << 62)

  /// Whether an execution was stored within ``ExecutionID/lifetime``.
  static func hasStored(
    _ id: ExecutionID,
    at now: Timestamp,
    in db: Database
  ) throws -> Bool {
    guard id.isKnown(at: now) else { return false }
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM consents WHERE id = ? AND kind = 'requested'"
    )
    return try Row.fetchOne(statement, arguments: [Data(id.bytes)]) != nil
  }

  /// Reads one page of the list in the order of ids.
  ///
  /// - Parameter id: Only subscribers with a greater id are read; `nil` starts with the first.
  static func subscribers(after id: Int64?, limit: Int, in db: Database) throws -> [Subscriber] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT id, address, state, locale, created_at, confirmed_at, unsubscribed_at
        FROM subscribers WHERE id > ? ORDER BY id LIMIT ?
        """
    )
    let rows = try Row.fetchCursor(statement, arguments: [id ?? .min, max(limit, 0)])
    var subscribers: [Subscriber] = []
    while let row = try rows.next() {
      guard
        let id = Int64.fromDatabaseValue(row[0]), subscriberIDs.contains(id),
        id > subscribers.last?.id ?? 0,
        let address = String.fromDatabaseValue(row[1]),
        let state = Int64.fromDatabaseValue(row[2]).flatMap(Subscriber.State.init(rawValue:)),
        let createdAt = Int64.fromDatabaseValue(row[4])
      else { throw StoreError.damaged }
      subscribers.append(
        Subscriber(
          id: id,
          address: address,
          state: state,
          locale: String.fromDatabaseValue(row[3]),
          createdAt: Timestamp(millisecondsSince1970: createdAt),
          confirmedAt: moment(row[5]),
          unsubscribedAt: moment(row[6])
        )
      )
    }
    return subscribers
  }

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
    guard let id = Int64.fromDatabaseValue(row[0]), id >= 0, id <= subscriberIDs.upperBound,
      let lowest = Int64.fromDatabaseValue(row[1]), subscriberIDs.contains(lowest)
    else { throw StoreError.damaged }
    return id
  }

  /// Returns the id of the next subscriber.
  ///
  /// - Throws: `DatabaseError`, or `StoreError.damaged` if no id is left.
  static func nextSubscriberID(in db: Database) throws -> Int64 {
    let next = try lastSubscriberID(in: db) + 1
    guard subscriberIDs.contains(next) else { throw StoreError.damaged }
    return next
  }

  static func moment(_ value: DatabaseValue) -> Timestamp? {
    Int64.fromDatabaseValue(value).map(Timestamp.init(millisecondsSince1970:))
  }
}
