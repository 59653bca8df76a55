import CSQLite
import Glibc
import MailingList
import Security
import TestSupport
import Testing

@testable import SQLiteStorage

extension MigrationSteps {
  /// The steps of this program, and a made-up one of the next release.
  static let withNext = MigrationSteps(
    Migrations.steps.sql + ["ALTER TABLE keys ADD COLUMN more TEXT"])
}

/// Tests with a made-up second version.
@Suite struct MigrationTests {
  /// Makes a database of the first version with two subscribers.
  private func makeDatabase(in folder: Folder) async throws {
    let store = try SQLiteSubscriberStore(path: folder.database)
    for name in ["ada", "bob"] {
      try await _ = store.add(try .sample("\(name)@example.org")).values()
    }
    await store.close().ended()
  }

  /// Reads the version and the number of subscribers.
  private func contents(of folder: Folder) throws -> [SQLiteValue]? {
    try SQLiteFile(folder.database).rows(
      "SELECT max(version), (SELECT count(*) FROM subscribers) FROM schema_migrations"
    ).first
  }

  @Test func `the first service of the next release migrates, and keeps the list and its secret`()
    async throws
  {
    try await withFolder { folder in
      try await makeDatabase(in: folder)
      var secrets: Set<[UInt8]> = []
      for _ in 0..<2 {
        let store = try Migrations.$steps.withValue(.withNext) {
          try SQLiteSubscriberStore(path: folder.database)
        }
        secrets.insert(store.keyring.current.bytes)
        await store.close().ended()
        #expect(try contents(of: folder) == [2, 2])
      }
      #expect(secrets.count == 1)
    }
  }

  @Test func `a step that fails changes nothing`() async throws {
    try await withFolder { folder in
      try await makeDatabase(in: folder)
      let failing = MigrationSteps(
        Migrations.steps.sql + ["DELETE FROM subscribers; INSERT INTO missing VALUES (1)"])
      Migrations.$steps.withValue(failing) {
        #expect(throws: (any Error).self) { try SQLiteMigration.run(on: folder.database) }
      }
      #expect(try contents(of: folder) == [1, 2])
    }
  }

  /// The kill follows the step, in the middle of the transaction.
  @Test func `a migration that is killed leaves the old version, and the next one succeeds`()
    async throws
  {
    try await withFolder { folder in
      try await makeDatabase(in: folder)
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.database as String] in
        let db = try SQLiteConnection(path: path)
        // Called for each row that is added.
        sqlite3_update_hook(
          db.handle,
          { _, _, _, table, _ in
            if table.map({ String(cString: $0) }) == "schema_migrations" { raise(SIGKILL) }
          },
          nil
        )
        try Migrations.$steps.withValue(.withNext) { try Migrations.run(db, path: path) }
      }
      #expect(try contents(of: folder) == [1, 2])
      let migration = try Migrations.$steps.withValue(.withNext) {
        try SQLiteMigration.run(on: folder.database)
      }
      #expect(migration == .init(from: 1, to: 2))
      #expect(try contents(of: folder) == [2, 2])
    }
  }

  @Test func `a program rejects the schema of the next release and does not change it`()
    async throws
  {
    try await withFolder { folder in
      let path = folder.database
      try Migrations.$steps.withValue(.withNext) {
        try Migrations.run(SQLiteConnection(path: path), path: path)
      }
      #expect(throws: StoreOpeningError.schemaNewer(path: path, found: 2, known: 1)) {
        try SQLiteSubscriberStore(path: path)
      }
      #expect(try contents(of: folder) == [2, 0])
    }
  }
}

@Suite struct DeletedRowsTests {
  /// Deletes subscribers like the SQLite shell, with foreign keys off.
  private func deleteByHand(_ condition: String, in folder: Folder) throws {
    try SQLiteFile(folder.database).execute("DELETE FROM subscribers WHERE \(condition)")
  }

  @Test(arguments: [true, false])
  func `a manual deletion also deletes the consents, and the id is never reused`(
    _ isStoreOpen: Bool
  ) async throws {
    try await withFolder { folder in
      var store = try SQLiteSubscriberStore(path: folder.database)
      for name in ["ada", "bob", "eve"] {
        for _ in 0..<2 { try await _ = store.add(try .sample("\(name)@example.org")).values() }
      }
      if !isStoreOpen { await store.close().ended() }
      try deleteByHand("id >= 2", in: folder)
      if !isStoreOpen { store = try SQLiteSubscriberStore(path: folder.database) }
      #expect(try store.count("consents") == 2)
      try await _ = store.add(try .sample("kim@example.org")).values()
      let list = try await store.subscribers(after: nil, limit: 10).values().flatMap(\.self)
      #expect(list.map(\.id) == [1, 4])
      #expect(list.map(\.address) == ["ada@example.org", "kim@example.org"])
      #expect(try store.count("consents") == 3)
      await store.close().ended()
    }
  }

  @Test func `a sign-up gets the id after a row that another program has added`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      try SQLiteFile(folder.database).execute(
        """
        INSERT INTO subscribers(id, address, address_key, state, created_at, updated_at)
          VALUES (2, 'bob@example.org', 'bob@example.org', 1, 0, 0)
        """
      )
      try await _ = store.add(try .sample("eve@example.org")).values()
      let list = try await store.subscribers(after: nil, limit: 10).values().flatMap(\.self)
      #expect(list.map(\.id) == [1, 2, 3])
    }
  }

  @Test func `a repeated sign-up does not skip an id`() async throws {
    try await withStore { store, _ in
      for name in ["ada", "ada", "ada", "bob", "ada", "eve"] {
        try await _ = store.add(try .sample("\(name)@example.org")).values()
      }
      let list = try await store.subscribers(after: nil, limit: 10).values().flatMap(\.self)
      #expect(list.map(\.id) == [1, 2, 3])
    }
  }

  @Test func `a repeated sign-up updates the row of a subscriber in every state`() async throws {
    try await withStore { store, _ in
      try await _ = store.add(try .sample("ada@example.org", at: 1)).values()
      for state in Subscriber.State.allCases {
        try store.withConnection {
          try $0.execute("UPDATE subscribers SET state = \(state.rawValue), requested_at = 0")
        }
        try await _ = store.add(try .sample("ada@example.org", at: 1)).values()
        let time = try store.withConnection {
          try $0.number("SELECT requested_at FROM subscribers")
        }
        #expect(time != 0)
      }
    }
  }
}
