import Foundation
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct OpeningTests {
  @Test func `stored sign-ups are present after reopening`() async throws {
    try await withFolder { folder in
      let signUp = try SignUp.sample("ada@example.org")
      let first = try SQLiteSubscriberStore(path: folder.database)
      try await _ = first.add(signUp).values()
      await first.close().ended()

      let second = try SQLiteSubscriberStore(path: folder.database)
      #expect(try await second.hasStored(signUp.id).values() == [true])
      #expect(try second.count("subscribers") == 1)
      #expect(try second.count("schema_migrations") == Migrations.latest)
      await second.close().ended()
    }
  }

  @Test func `the store keeps every part of a consent`() async throws {
    try await withStore { store, _ in
      let consent = Consent(
        text: "Yes, weekly ☂", sourceURL: "https://example.org/form", origin: "https://example.org",
        clientAddress: "192.0.2.0", userAgent: "")
      let signUp = try SignUp.sample(at: 1234, consent: consent)
      try await _ = store.add(signUp).values()
      let columns = "kind, at, text, source_url, origin, ip, user_agent, locale"
      let rows = try store.withConnection {
        try $0.file.rows("SELECT \(columns) FROM consents WHERE id = \(signUp.id.bytes.sql)")
      }
      let expected: [SQLiteValue] = [
        "requested", 1234, "Yes, weekly ☂", "https://example.org/form", "https://example.org",
        "192.0.2.0", "", nil,
      ]
      #expect(rows == [expected])
    }
  }

  @Test(
    arguments: [
      ("journal_mode", "wal"),
      ("synchronous", "2"),
      ("foreign_keys", "1"),
      ("secure_delete", "1"),
    ]
  )
  func `the writer's connection has the required settings`(
    pragma: String, expected: String
  )
    async throws
  {
    try await withStore { store, _ in
      try await _ = store.add(try .sample()).values()
      let value = try store.withConnection { try $0.text("PRAGMA \(pragma)") }
      #expect(value == expected)
    }
  }

  @Test func `the schema has only one index with keys in random order`() async throws {
    try await withStore { store, _ in
      let indexes = try store.withConnection { db in
        try db.file.texts("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY 1")
      }
      // Numbers of subscribers grow.
      #expect(indexes.filter { !$0.hasSuffix("_by_subscriber") } == ["subscribers_by_key"])
    }
  }

  @Test func `rejects a newer schema and does not change it`() async throws {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      try store.withConnection {
        try $0.execute("INSERT INTO schema_migrations(version, applied_at) VALUES (99, 0)")
      }
      await store.close().ended()
      let expected = StoreOpeningError.schemaNewer(
        path: folder.database, found: 99, known: Migrations.latest)
      #expect(throws: expected) { try SQLiteSubscriberStore(path: folder.database) }
      #expect(throws: expected) { try SQLiteSubscriberReader(path: folder.database) }
      #expect(expected.description.contains("schema version 99"))
      #expect(expected.description.contains("knows \(Migrations.latest);"))
    }
  }

  @Test(arguments: [
    "this is no database, whatever its name says", String(repeating: "\0", count: 9000),
  ])
  func `rejects a file that is not a database and does not change it`(content: String) async throws
  {
    try await withFolder { folder in
      let bytes = Data(content.utf8)
      try bytes.write(to: URL(filePath: folder.database))
      let error = #expect(throws: StoreOpeningError.self) {
        try SQLiteSubscriberStore(path: folder.database)
      }
      #expect(error == .damaged(path: folder.database, reason: "file is not a database"))
      #expect(error?.description.contains("file is not a database") == true)
      #expect(try Data(contentsOf: URL(filePath: folder.database)) == bytes)
    }
  }

  @Test func `rejects a database with damaged pages and does not change it`()
    async throws
  {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      for number in 0..<200 {
        try await _ = store.add(try .sample("a\(number)@example.org")).values()
      }
      await store.close().ended()
      var bytes = try Data(contentsOf: URL(filePath: folder.database))
      // Damage all pages except the first, which contains the schema.
      for index in stride(from: 4096, to: bytes.count, by: 7) { bytes[index] ^= 0x55 }
      try bytes.write(to: URL(filePath: folder.database))
      let error = #expect(throws: StoreOpeningError.self) {
        try SQLiteSubscriberStore(path: folder.database)
      }
      guard case .damaged(folder.database, let reason) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!reason.contains("@"))
      #expect(!reason.contains("\n"))
      let left = try Data(contentsOf: URL(filePath: folder.database))
      #expect(left.prefix(bytes.count).dropFirst(4096) == bytes.dropFirst(4096))
    }
  }

  @Test func `rejects a truncated database`() async throws {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      for number in 0..<200 {
        try await _ = store.add(try .sample("a\(number)@example.org")).values()
      }
      await store.close().ended()
      let bytes = try Data(contentsOf: URL(filePath: folder.database))
      try bytes.prefix(bytes.count / 2).write(to: URL(filePath: folder.database))
      let error = #expect(throws: StoreOpeningError.self) {
        try SQLiteSubscriberStore(path: folder.database)
      }
      #expect(error?.description.contains("is damaged") == true)
    }
  }

  @Test func `rejects the database of another program`() async throws {
    try await withFolder { folder in
      try SQLiteFile(folder.database).execute("CREATE TABLE subscribers(id INTEGER)")
      #expect(throws: StoreOpeningError.foreign(path: folder.database)) {
        try SQLiteSubscriberStore(path: folder.database)
      }
    }
  }

  @Test func `rejects a database that another process has locked`() async throws {
    try await withFolder { folder in
      let other = try OtherProcess(holding: folder.database, exclusively: true)
      #expect(throws: StoreOpeningError.locked(path: folder.database)) {
        try SQLiteSubscriberStore(
          path: folder.database, configuration: .init(busyTimeout: .milliseconds(1)))
      }
      try other.release()
    }
  }

  @Test(
    arguments: [
      (8, .readOnly(path: "/list")),
      (1032, .readOnly(path: "/list")),
      (5, .locked(path: "/list")),
      (11, .damaged(path: "/list", reason: "why")),
      (3338, .cannotOpen(path: "/list", reason: "why (SQLite 3338)")),
    ] as [(Int32, StoreOpeningError)]
  )
  func `converts the result codes of SQLite to opening errors`(
    code: Int32, expected: StoreOpeningError
  ) {
    let error = SQLiteError(code: code, message: "why")
    #expect(StoreOpeningError(error, path: "/list") == expected)
    #expect(expected.description.contains("/list"))
  }
}
