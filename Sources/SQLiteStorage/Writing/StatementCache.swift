internal import GRDB
internal import MailingList

/// The statements of rare changes, each of which is prepared at its first use.
///
/// Only the writer's thread uses them, within `writeWithoutTransaction`.
final class StatementCache {
  private let db: Database
  private var statements: [String: PreparedStatement] = [:]

  /// Creates an empty cache for the writer's connection, which must be closed after this object has
  /// been released.
  init(_ db: Database) {
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

  /// The number of rows that the last statement has changed.
  var changesCount: Int { db.changesCount }
}
