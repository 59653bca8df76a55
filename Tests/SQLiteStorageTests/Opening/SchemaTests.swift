import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of files whose schema is not that of a release.
@Suite struct SchemaTests {
  /// Makes a database with one subscriber, and changes its schema.
  private func makeDatabase(in folder: Folder, _ sql: String) async throws {
    let store = try SQLiteSubscriberStore(path: folder.database)
    try await _ = store.add(try .sample()).values()
    await store.close().ended()
    try Contents.change(folder.database, sql)
  }

  @Test(
    arguments: [
      (
        """
        CREATE TRIGGER intruder AFTER INSERT ON subscribers BEGIN
          UPDATE subscribers SET state = 3;
        END
        """,
        "the trigger intruder is not Enlist's; remove it with DROP TRIGGER intruder."
      ),
      (
        "CREATE TABLE zebra(id INTEGER PRIMARY KEY AUTOINCREMENT, x UNIQUE)",
        "the table zebra is not Enlist's; remove it with DROP TABLE zebra."
      ),
      (
        "CREATE VIEW intruder AS SELECT 1",
        "the view intruder is not Enlist's; remove it with DROP VIEW intruder."
      ),
      (
        "CREATE INDEX intruder ON consents(at)",
        "the index intruder is not Enlist's; remove it with DROP INDEX intruder."
      ),
      (
        #"CREATE VIEW "my ""own"" view" AS SELECT 1"#,
        #"remove it with DROP VIEW "my ""own"" view"."#
      ),
      (
        "CREATE VIRTUAL TABLE people_fts USING fts5(address)",
        "the table people_fts is not Enlist's; remove it with DROP TABLE people_fts."
      ),
      (#"CREATE INDEX "order" ON consents(at)"#, #"remove it with DROP INDEX "order"."#),
    ]
  )
  func `an object of the operator's own is named, with the statement that removes it`(
    _ sql: String, _ reason: String
  ) async throws {
    try await withFolder { folder in
      try await makeDatabase(in: folder, sql)
      let changed = "The schema of the database \(folder.database) was changed: "
      for text in messages(of: folder) {
        #expect(text.contains(changed) && text.hasSuffix(reason), "\(text)")
      }
      let remedy = try #require(reason.firstRange(of: "DROP ")).lowerBound
      try Contents.change(folder.database, String(reason[remedy...].dropLast()))
      #expect(try SQLiteVerification.run(on: folder.database).subscribers == 1)
      let store = try SQLiteSubscriberStore(path: folder.database)
      await store.close().ended()
    }
  }

  @Test func `a running service warns once of an object that the next start rejects`()
    async throws
  {
    let warnings = Warnings()
    var configuration = SQLiteSubscriberStore.Configuration(warn: warnings.add)
    configuration.checkInterval = .milliseconds(20)
    try await withStore(configuration) { store, folder in
      try await _ = store.add(try .sample()).values()
      let path = folder.database
      try Contents.change(path, "CREATE VIEW people AS SELECT address FROM subscribers")
      let view = StoreWarning.schemaChanged(
        path: path, reason: "the view people is not Enlist's; remove it with DROP VIEW people")
      try eventually { warnings.all == [view] }
      // Another change of the schema's number, and one that is no reason for a warning.
      try Contents.change(path, "CREATE VIEW zebra AS SELECT 1; ANALYZE; DROP VIEW people")
      let other = StoreWarning.schemaChanged(
        path: path, reason: "the view zebra is not Enlist's; remove it with DROP VIEW zebra")
      try eventually { warnings.all == [view, other] }
      try await _ = store.add(try .sample("bob@example.org")).values()
      try Contents.change(path, "DROP VIEW zebra")
    }
    #expect(warnings.all.count == 2)
    #expect(warnings.all.allSatisfy { !$0.isError })
  }

  /// Returns what the service and every command say of a database.
  private func messages(of folder: Folder) -> [String] {
    let path = folder.database
    let openings: [() throws -> Void] = [
      { _ = try SQLiteSubscriberStore(path: path) },
      { _ = try SQLiteSubscriberReader(path: path) },
      { _ = try ListCommands(CommandDatabase(path: path), keyring: nil) },
      { _ = try SQLiteMigration.run(on: path) },
      { _ = try SQLiteVerification.run(on: path) },
      { _ = try SQLiteBackup.write(path, to: folder("backup.sqlite")) },
      { _ = try SQLiteRestore.run(path, to: folder("other.sqlite")) },
    ]
    return openings.map { open in
      #expect(throws: (any Error).self) { try open() }.map { "\($0)" } ?? ""
    }
  }

  @Test(
    arguments: [
      (
        "DROP TRIGGER subscribers_keep_id",
        "the trigger subscribers_keep_id of schema version 1 is missing"
      ),
      ("ALTER TABLE keys ADD COLUMN more TEXT", "the table keys is not that of schema version"),
      (
        """
        DROP TRIGGER subscribers_keep_id;
        CREATE TRIGGER Subscribers_Keep_ID AFTER DELETE ON subscribers BEGIN
          DELETE FROM secret;
        END
        """,
        "the trigger subscribers_keep_id of schema version 1 is missing"
      ),
      (
        """
        DROP TABLE store_probe;
        CREATE VIEW store_probe(id, at) AS SELECT 1, 0
        """,
        "the view store_probe is not that of schema version"
      ),
    ]
  )
  func `a schema that no release has made is rejected by the service and every command`(
    _ sql: String, _ reason: String
  ) async throws {
    try await withFolder { folder in
      try await makeDatabase(in: folder, sql)
      for text in messages(of: folder) {
        #expect(text.contains(reason) && text.hasSuffix("; restore a backup."), "\(text)")
      }
    }
  }

  @Test func `statistics of the operator's ANALYZE belong to no version and are accepted`()
    async throws
  {
    try await withFolder { folder in
      try await makeDatabase(in: folder, "ANALYZE")
      #expect(try SQLiteVerification.run(on: folder.database).subscribers == 1)
      let store = try SQLiteSubscriberStore(path: folder.database)
      await store.close().ended()
    }
  }

  @Test func `the schema of an earlier version is accepted and migrated`() throws {
    let folder = try Folder()
    try Migrations.run(SQLiteConnection(path: folder.database), path: folder.database)
    try Migrations.$steps.withValue(.withNext) { () throws in
      #expect(try SQLiteVerification.run(on: folder.database).schemaVersion == 1)
      #expect(try SQLiteMigration.run(on: folder.database).to == 2)
      #expect(try SQLiteVerification.run(on: folder.database).schemaVersion == 2)
    }
  }

  @Test func `no connection trusts the schema or lets SQL rewrite it`() async throws {
    try await withStore { store, folder in
      func check(_ db: SQLiteConnection) throws {
        #expect(try db.number("PRAGMA trusted_schema") == 0)
        try db.execute("PRAGMA writable_schema = ON")
        #expect(throws: SQLiteError.self) {
          try db.execute("UPDATE sqlite_schema SET sql = sql")
        }
      }
      try store.withConnection(check)
      let timeout = Duration.seconds(5)
      let reader = try DatabaseOpening.reader(path: folder.database, busyTimeout: timeout)
      try check(reader)
      let command = try CommandDatabase(path: folder.database, busyTimeout: timeout)
      try command.access(check)
      command.close()
    }
  }
}
