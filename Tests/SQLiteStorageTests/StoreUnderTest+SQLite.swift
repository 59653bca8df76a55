import Foundation
import GRDB
import MailingList
import TestSupport

@testable import SQLiteStorage

/// The folder of one test.
struct TemporaryFolder {
  let url: URL

  /// The database file of the test.
  var database: String { url.appending(path: "list.sqlite").path }

  /// The names of all files in the folder.
  var files: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: url.path)) }
  }
}

/// A connection that holds the lock of a database; to SQLite, it behaves like another process.
struct OtherProcess {
  private let connection: DatabaseQueue

  init(holding path: String, exclusively isExclusive: Bool = false) throws {
    var configuration = GRDB.Configuration()
    configuration.allowsUnsafeTransactions = true
    connection = try DatabaseQueue(path: path, configuration: configuration)
    try connection.inDatabase {
      try $0.execute(sql: isExclusive ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
    }
  }

  func release() throws {
    try connection.inDatabase { try $0.execute(sql: "ROLLBACK") }
    try connection.close()
  }
}

/// Runs a test with a folder and removes the folder afterwards.
func withTemporaryFolder(_ body: (TemporaryFolder) async throws -> Void) async throws {
  let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  try await body(TemporaryFolder(url: url))
}

extension StoreUnderTest {
  /// Creates a SQLite store under test, which is inspected through its writer's connection.
  static func sqlite(_ store: SQLiteSubscriberStore) -> StoreUnderTest {
    StoreUnderTest(
      store,
      consentCount: { address in
        try store.withConnection { db in
          try Int.fetchOne(
            db,
            sql: """
              SELECT count(*) FROM consents WHERE kind = 'requested' AND subscriber_id =
                (SELECT id FROM subscribers WHERE address_key = ?)
              """,
            arguments: [address.key]
          ) ?? 0
        }
      },
      setState: { state, address in
        try store.withConnection { db in
          try db.execute(
            sql: "UPDATE subscribers SET state = ? WHERE address_key = ?",
            arguments: [state.rawValue, address.key]
          )
        }
      }
    )
  }
}
