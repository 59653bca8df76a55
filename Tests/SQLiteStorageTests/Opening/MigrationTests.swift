import Foundation
import GRDB
import Glibc
import MailingList
import Secrets
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests with databases of an earlier release.
@Suite(.timeLimit(.minutes(15))) struct MigrationTests {
  /// The schema of version 1 as released; it is never edited.
  private static let version1 = """
    CREATE TABLE schema_migrations(version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT;
    INSERT INTO schema_migrations VALUES (1, 0);
    CREATE TABLE subscribers(
      id INTEGER PRIMARY KEY,
      address TEXT NOT NULL,
      address_key TEXT NOT NULL COLLATE BINARY,
      requires_smtputf8 INTEGER NOT NULL DEFAULT 0,
      state INTEGER NOT NULL,
      locale TEXT,
      created_at INTEGER NOT NULL,
      confirmed_at INTEGER,
      unsubscribed_at INTEGER,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX subscribers_by_key ON subscribers(address_key);
    CREATE TABLE consents(
      execution_id BLOB PRIMARY KEY,
      subscriber_id INTEGER NOT NULL REFERENCES subscribers(id),
      kind TEXT NOT NULL,
      at INTEGER NOT NULL,
      text TEXT,
      source_url TEXT,
      origin TEXT,
      ip TEXT,
      user_agent TEXT,
      locale TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE store_probe(id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
    INSERT INTO store_probe(id, at) VALUES (1, 0);
    """

  /// Writes a database of version 1 with a number of subscribers and one consent for each.
  private func makeVersion1(at path: String, count: Int) throws {
    var configuration = GRDB.Configuration()
    configuration.foreignKeysEnabled = false
    let database = try DatabaseQueue(path: path, configuration: configuration)
    try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try database.write { db in
      try db.execute(sql: Self.version1)
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO subscribers(address, address_key, state, created_at, confirmed_at, updated_at)
            SELECT i || '@example.org', i || '@example.org', 1, i, i, i FROM n
          """,
        arguments: [count]
      )
      try db.execute(
        sql: """
          INSERT INTO consents(execution_id, subscriber_id, kind, at, source_url)
            SELECT CAST(printf('%022d', id) AS BLOB), id, 'requested', id,
              'https://example.org/form?session=' || id || '#end' FROM subscribers
          """
      )
    }
    try database.close()
  }

  private func version(at path: String) throws -> (version: Int, subscribers: Int, consents: Int) {
    let database = try DatabaseQueue(path: path)
    defer { try? database.close() }
    return try database.read { db in
      #expect(try String.fetchAll(db, sql: "PRAGMA quick_check") == ["ok"])
      return (
        try Int.fetchOne(db, sql: "SELECT max(version) FROM schema_migrations") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM subscribers") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM consents") ?? 0
      )
    }
  }

  @Test func `the migration keeps all subscribers and removes the query from stored page URLs`()
    async throws
  {
    try await withTemporaryFolder { folder in
      try makeVersion1(at: folder.database, count: 1000)
      let store = try SQLiteSubscriberStore(path: folder.database)
      let pages = try store.withConnection {
        try String.fetchAll($0, sql: "SELECT DISTINCT source_url FROM consents")
      }
      #expect(pages == ["https://example.org/form"])
      try await _ = store.add(try .sample("new@example.org")).values()
      let list = try await store.subscribers(after: 999, limit: 10).values().flatMap(\.self)
      #expect(list.map(\.id) == [1000, 1001])
      await store.close().ended()
      #expect(try version(at: folder.database) == (Migrations.latest, 1001, 1001))
    }
  }

  @Test func `keeps the consents of the release before, and makes a secret once`() async throws {
    try await withTemporaryFolder { folder in
      try makeVersion1(at: folder.database, count: 10)
      let database = try DatabaseQueue(path: folder.database)
      try await database.writeWithoutTransaction {
        try Migrations.run($0, path: folder.database, upTo: 2)
      }
      try database.close()
      var secrets: Set<Data> = []
      for _ in 0..<2 {
        let store = try SQLiteSubscriberStore(path: folder.database)
        let (ids, secret) = try store.withConnection { db in
          (
            try Data.fetchAll(db, sql: "SELECT id FROM consents ORDER BY subscriber_id"),
            try Data.fetchOne(db, sql: "SELECT bytes FROM secret")
          )
        }
        #expect(ids == (1...10).map { Data(String(format: "%022d", $0).utf8) })
        #expect(store.keyring.current.bytes == secret.map(Array.init))
        secrets.insert(try #require(secret))
        await store.close().ended()
      }
      #expect(secrets.count == 1)
    }
  }

  @Test func `a subscriber who was suppressed before the migration is so by the operator`()
    async throws
  {
    try await withTemporaryFolder { folder in
      try makeVersion1(at: folder.database, count: 10)
      let shell = try DatabaseQueue(path: folder.database)
      try await shell.write { try $0.execute(sql: "UPDATE subscribers SET state = 3 WHERE id = 5") }
      try shell.close()
      let store = try SQLiteSubscriberStore(path: folder.database)
      let rows = try store.withConnection {
        try Row.fetchAll(
          $0,
          sql:
            "SELECT id, suppression, suppressed_at FROM subscribers WHERE suppression IS NOT NULL"
        )
      }
      #expect(rows.map { $0["id"] as Int64 } == [5])
      #expect(rows.map { $0["suppression"] as Int64 } == [Suppression.operator.rawValue])
      #expect(rows.map { $0["suppressed_at"] as Int64 } == [5])
      await store.close().ended()
    }
  }

  @Test func `never reuses the id of a row that was deleted before the migration`() async throws {
    try await withTemporaryFolder { folder in
      try makeVersion1(at: folder.database, count: 10)
      let shell = try DatabaseQueue(path: folder.database)
      try await shell.write { db in
        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
        try db.execute(sql: "UPDATE consents SET subscriber_id = 1 WHERE subscriber_id = 2")
      }
      var configuration = GRDB.Configuration()
      configuration.foreignKeysEnabled = false
      try shell.close()
      let careless = try DatabaseQueue(path: folder.database, configuration: configuration)
      try await careless.write { try $0.execute(sql: "DELETE FROM subscribers WHERE id > 8") }
      try careless.close()

      let store = try SQLiteSubscriberStore(path: folder.database)
      #expect(try store.count("consents") == 8)
      try await _ = store.add(try .sample("new@example.org")).values()
      let list = try await store.subscribers(after: 8, limit: 10).values().flatMap(\.self)
      #expect(list.map(\.id) == [11])
      await store.close().ended()
    }
  }

  /// Waits until the migration of a starting program has written a part of its transaction to the
  /// log, or until it is over and the program serves.
  private func wait(
    for process: ChildProcess,
    untilLogOf database: String,
    has byteCount: Int
  ) throws(TestSystemError) {
    let deadline = Deadline(after: .seconds(30))
    while deadline.milliseconds > 0 {
      let attributes = try? FileManager.default.attributesOfItem(atPath: database + "-wal")
      if attributes?[.size] as? Int ?? 0 >= byteCount { return }
      do throws(TestSystemError) {
        if try process.readLine(by: Deadline(after: .milliseconds(1))) != nil { return }
      } catch {
        guard error == .timeout else { throw error }
      }
    }
    throw .timeout
  }

  @Test(.timeLimit(.minutes(15)))
  func `a killed migration leaves either the old version or the new one`() async throws {
    try await withTemporaryFolder { folder in
      try makeVersion1(at: folder.database, count: 100_000)
      var isDone = false
      var logBytes = 0
      while !isDone {
        let process = try ChildProcess(
          "enlist",
          ["--listen", "127.0.0.1:0", "--database", "sqlite:\(folder.database)"]
        )
        try wait(for: process, untilLogOf: folder.database, has: logBytes)
        process.send(signal: SIGKILL)
        try process.wait()
        let found = try version(at: folder.database)
        #expect(found.subscribers == 100_000)
        #expect(found.consents == 100_000)
        #expect([1, Migrations.latest].contains(found.version))
        isDone = found.version == Migrations.latest
        logBytes = max(2 * logBytes, 16_384)
      }
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await _ = store.add(try .sample("new@example.org")).values()
      #expect(try store.count("subscribers") == 100_001)
      await store.close().ended()
    }
  }

  @Test func `an older program rejects a newer schema and does not change it`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await _ = store.add(try .sample()).values()
      await store.close().ended()
      let database = try DatabaseQueue(path: folder.database)
      let path = folder.database
      #expect(
        throws: StoreOpeningError.schemaNewer(path: path, found: Migrations.latest, known: 1)
      ) {
        try database.writeWithoutTransaction { try Migrations.run($0, path: path, upTo: 1) }
      }
      try database.close()
      #expect(try version(at: path) == (Migrations.latest, 1, 1))
    }
  }
}

@Suite struct DeletedRowsTests {
  /// Deletes subscribers like the SQLite shell, with foreign keys off.
  private func deleteByHand(_ condition: String, in folder: TemporaryFolder) throws {
    var configuration = GRDB.Configuration()
    configuration.foreignKeysEnabled = false
    let shell = try DatabaseQueue(path: folder.database, configuration: configuration)
    try shell.write { try $0.execute(sql: "DELETE FROM subscribers WHERE \(condition)") }
    try shell.close()
  }

  @Test(arguments: [true, false])
  func `a manual deletion also deletes the consents, and the id is never reused`(
    _ isStoreOpen: Bool
  ) async throws {
    try await withTemporaryFolder { folder in
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
      let shell = try DatabaseQueue(path: folder.database)
      try await shell.write { db in
        try db.execute(
          sql: """
            INSERT INTO subscribers(id, address, address_key, state, created_at, updated_at)
              VALUES (2, 'bob@example.org', 'bob@example.org', 1, 0, 0)
            """
        )
      }
      try shell.close()
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
          try $0.execute(
            sql: "UPDATE subscribers SET state = ?, requested_at = 0",
            arguments: [state.rawValue]
          )
        }
        try await _ = store.add(try .sample("ada@example.org", at: 1)).values()
        let time = try store.withConnection {
          try Int.fetchOne($0, sql: "SELECT requested_at FROM subscribers")
        }
        #expect(time != 0)
      }
    }
  }
}
