import EmailAddresses
import MailingList
import Security
import TestSupport

@testable import SQLiteStorage

extension SuppressionsUnderTest {
  /// Makes a SQLite list under test, which is inspected through its writer's connection.
  ///
  /// - Parameters:
  ///   - store: A store with double opt-in and two secrets.
  ///   - path: The database file.
  /// - Returns: The list.
  static func sqlite(_ store: SQLiteSubscriberStore, at path: String) -> SuppressionsUnderTest {
    let keys = MailKeys(store.keyring)
    return SuppressionsUnderTest(
      .sqlite(store),
      store: { reasons, address in
        try store.withConnection { db in
          for (hash, (reason, time)) in zip(keys.suppressions(address.key), zip(reasons, times)) {
            guard let reason else { continue }
            let values = "\(hash.sql), \(reason.rawValue), \(time.millisecondsSince1970)"
            try db.execute("REPLACE INTO suppressions(key_hash, reason, at) VALUES (\(values))")
          }
        }
      },
      stored: { address in
        try store.withConnection { db in
          try keys.suppressions(address.key).map { hash in
            try db.number("SELECT reason FROM suppressions WHERE key_hash = \(hash.sql)")
              .flatMap(Suppression.init)
          }
        }
      },
      membership: { try await OutboxUnderTest.sqlite(store).membership($0) },
      erase: { address, trace in
        let eraser = try ListCommands(CommandDatabase(path: path), keyring: store.keyring)
        defer { eraser.close() }
        return try eraser.erase([address], leaving: trace)
      }
    )
  }
}
