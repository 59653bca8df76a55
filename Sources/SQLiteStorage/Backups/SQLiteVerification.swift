internal import MailingList

/// The result of verifying an intact database.
package struct SQLiteVerification: Hashable, Sendable {
  package let schemaVersion: Int
  /// The version that this program writes.
  package let latestVersion: Int
  package let subscribers: Int
  package let consents: Int

  /// Whether every row was read; rows of an older schema cannot be read.
  package var areRowsRead: Bool { schemaVersion == latestVersion }

  /// Verifies a backup or a database, which a service may be using.
  ///
  /// One transaction checks every page, row, index and reference; during it, the log of a running
  /// service grows, as it does during a backup. Then every row is read in the same way as by the
  /// service.
  package static func run(
    on path: String, busyTimeout: Duration = .seconds(5)
  ) throws(BackupError) -> SQLiteVerification {
    let (database, _) = try DatabaseOpening.source(path: path, busyTimeout: busyTimeout)
    let verification = try run(on: database, named: path) { true }
    // Ends the connection; nothing was written.
    try? database.close()
    return verification
  }

  /// Verifies an open database.
  ///
  /// - Parameter proceed: Called about every millisecond; returns `false` to end the verification.
  static func run(
    on database: SQLiteConnection, named path: String, proceed: @escaping () -> Bool
  ) throws(BackupError) -> SQLiteVerification {
    do {
      let verification = try read(database, proceed) { db in
        try IntegrityCheck.runCompletely(db, path: path)
        return SQLiteVerification(
          schemaVersion: try Migrations.version(of: db, path: path),
          latestVersion: Migrations.latest, subscribers: try count("subscribers", in: db),
          consents: try count("consents", in: db))
      }
      if verification.areRowsRead {
        try RowCheck.run(path: path) { body in try read(database, proceed, body) }
      }
      return verification
    } catch  where StoreError(error) == .interrupted {
      throw .interrupted
    } catch {
      throw .database(StoreOpeningError(error, path: path))
    }
  }

  private static func read<Value>(
    _ database: SQLiteConnection, _ proceed: @escaping () -> Bool,
    _ body: (SQLiteConnection) throws -> Value
  ) throws -> Value {
    try database.transaction("BEGIN") { db in
      try db.run(while: proceed) {
        try StatementInterrupt.ofCommand.perform(on: db) { try body(db) }
      }
    }
  }

  private static func count(_ table: String, in db: SQLiteConnection) throws(SQLiteError) -> Int {
    Int(try db.number("SELECT count(*) FROM \(table)") ?? 0)
  }
}
