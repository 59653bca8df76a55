import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct SQLiteVerificationTests {
  @Test func `verifies a database that a store is using, and counts its rows`() async throws {
    try await withStore { store, folder in
      for name in ["ada", "bob", "ada"] {
        try await _ = store.add(try .sample("\(name)@example.org")).values()
      }
      let verification = try SQLiteVerification.run(on: folder.database)
      #expect(verification.subscribers == 2)
      #expect(verification.consents == 3)
      #expect(verification.schemaVersion == Migrations.latest)
      #expect(verification.areRowsRead)
      try await _ = store.add(try .sample("eve@example.org")).values()
    }
  }

  @Test func `reads every page of a long list`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      try store.withConnection { try $0.execute(Contents.adding(2_000)) }
      #expect(try SQLiteVerification.run(on: folder.database).subscribers == 2001)
      try store.withConnection { db in
        try db.execute("UPDATE subscribers SET state = 9 WHERE id = 1999")
      }
      let reason = "a row of subscribers cannot be read"
      #expect(throws: BackupError.database(.damaged(path: folder.database, reason: reason))) {
        try SQLiteVerification.run(on: folder.database)
      }
    }
  }

  @Test(
    arguments: [
      ("INSERT INTO secret(id, bytes) VALUES (1, x'00')", "secret"),
      ("UPDATE consents SET id = x'00'", "consents"),
      (
        """
        INSERT INTO outbox(queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at)
          VALUES (1, 0, x'00', 1, x'00', x'00', 1, 0)
        """,
        "outbox"
      ),
      ("INSERT INTO tokens VALUES (x'00', 7, 1, x'00', 0, NULL, NULL, '', x'00')", "tokens"),
    ]
  )
  func `reports the table of a row that the service cannot read`(
    _ sql: String, _ table: String
  ) async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      try store.withConnection { db in
        try db.execute("DELETE FROM secret")
        try db.execute(sql)
      }
      let reason = "a row of \(table) cannot be read"
      #expect(throws: BackupError.database(.damaged(path: folder.database, reason: reason))) {
        try SQLiteVerification.run(on: folder.database)
      }
    }
  }

  @Test func `verifies an older schema without reading its rows one by one`() async throws {
    try await withFolder { folder in
      try Migrations.run(SQLiteConnection(path: folder.database), path: folder.database)
      let verification = try Migrations.$steps.withValue(.withNext) {
        try SQLiteVerification.run(on: folder.database)
      }
      #expect(verification.schemaVersion == 1)
      #expect(!verification.areRowsRead)
    }
  }
}
