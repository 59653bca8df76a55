internal import CSQLite

/// The settings of SQLite that apply to the whole process.
enum SQLiteLibrary {
  /// Applies the settings, once; call it before the first connection is opened.
  ///
  /// SQLite then does not count the memory in use, which nothing here reads: counting takes a lock
  /// of the process for each allocation, and a sign-up makes 25. The corresponding C function is
  /// `sqlite3_config`, which has no effect if other code uses the library already.
  static func configure() { _ = configured }

  private static let configured: Void = { _ = csqlite_disable_memory_statistics() }()
}
