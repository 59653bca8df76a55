internal import GRDB
internal import MailingList

/// The statements of rare changes, each of which is prepared at its first use.
///
/// Only the writer's thread uses it, within `writeWithoutTransaction`.
final class StatementCache {
  private let db: Database
  private var statements: [String: PreparedStatement] = [:]

  /// Creates an empty cache.
  ///
  /// - Parameter db: The writer's connection; this object must be released before it is closed.
  init(_ db: Database) {
    self.db = db
  }

  /// Returns the statement of a text.
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

  /// How many rows the last statement has changed.
  var changesCount: Int { db.changesCount }
}
