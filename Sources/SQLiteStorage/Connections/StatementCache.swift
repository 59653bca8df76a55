internal import MailingList

/// The statements of a connection, each of which is prepared at its first use.
final class StatementCache {
  private unowned let db: SQLiteConnection
  private var statements: [String: PreparedStatement] = [:]

  /// Creates an empty cache, which must not be used after the connection has been closed.
  init(_ db: SQLiteConnection) {
    self.db = db
  }

  /// Returns the prepared statement of an SQL text.
  ///
  /// - Parameter sql: One statement; its parameters are `?1`, `?2`, …
  subscript(sql: String) -> PreparedStatement {
    get throws(StoreError) {
      if let statement = statements[sql] { return statement }
      do {
        let statement = try PreparedStatement(sql, in: db)
        statements[sql] = statement
        return statement
      } catch {
        throw StoreError(error)
      }
    }
  }

  /// Releases the statements, which must not be running.
  func removeAll() {
    statements = [:]
  }

  /// The number of rows that the last statement has changed.
  var changesCount: Int { db.changesCount }
}
