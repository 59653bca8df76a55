internal import CSQLite
internal import GRDB

/// The settings of SQLite for the whole process and for each connection.
enum SQLiteLibrary {
  /// Returns the initial configuration of every connection.
  ///
  /// A connection then trusts nothing in the schema, which may have another origin
  /// (<https://www.sqlite.org/security.html>). The corresponding C function is `sqlite3_db_config`.
  static func configuration() -> GRDB.Configuration {
    _ = configured
    var configuration = GRDB.Configuration()
    configuration.prepareDatabase { csqlite_distrust_schema($0.sqliteConnection) }
    return configuration
  }

  /// The settings of the process, which are applied before its first connection is opened.
  ///
  /// SQLite then does not count the memory in use, which this program never reads: counting takes a
  /// process-wide lock for each allocation, and a sign-up makes 25 allocations. The corresponding C
  /// function is `sqlite3_config`, which has no effect if other code already uses the library.
  private static let configured: Void = { _ = csqlite_disable_memory_statistics() }()
}
