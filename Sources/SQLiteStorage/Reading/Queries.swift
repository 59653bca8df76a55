internal import Foundation
internal import GRDB
internal import MailingList

/// The queries that read the database.
enum Queries {
  /// Returns whether an execution was stored within ``ExecutionID/lifetime``.
  ///
  /// - Parameters:
  ///   - id: The public id of the execution.
  ///   - now: The current time.
  ///   - db: Any connection.
  /// - Returns: Whether the sign-up with this execution id exists.
  /// - Throws: `DatabaseError`.
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
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are read; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers.
  ///   - db: Any connection.
  /// - Returns: The subscribers.
  /// - Throws: `DatabaseError`, or `StoreError.damaged` for a row that no release could have
  ///   written.
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
        let id = Int64.fromDatabaseValue(row[0]),
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

  static func moment(_ value: DatabaseValue) -> Timestamp? {
    Int64.fromDatabaseValue(value).map(Timestamp.init(millisecondsSince1970:))
  }
}
