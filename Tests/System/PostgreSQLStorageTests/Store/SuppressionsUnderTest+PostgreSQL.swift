import EmailAddresses
import MailingList
import Security
import TestSupport

@testable import PostgreSQLStorage

extension SuppressionsUnderTest {
  /// Makes a list under test, which is inspected through another session.
  ///
  /// - Parameters:
  ///   - store: A store with double opt-in and two secrets.
  ///   - database: Its database.
  /// - Returns: The list.
  static func postgresql(
    _ store: PostgreSQLSubscriberStore, _ database: TestDatabase
  ) -> SuppressionsUnderTest {
    let keys = MailKeys(store.keyring)
    return SuppressionsUnderTest(
      .postgresql(store, database),
      store: { reasons, address in
        for (hash, (reason, time)) in zip(keys.suppressions(address.key), zip(reasons, times)) {
          guard let reason else { continue }
          try database.run(
            Query(
              """
              INSERT INTO enlist.suppressions(key_hash, reason, at) VALUES ($1, $2, $3)
                ON CONFLICT (key_hash) DO UPDATE SET reason = excluded.reason, at = excluded.at
              """
            )
            .binding(hash).binding(Int16(reason.rawValue)).binding(time)
          )
        }
      },
      stored: { address in
        try keys.suppressions(address.key).map { hash in
          let rows = try database.run(
            Query("SELECT reason FROM enlist.suppressions WHERE key_hash = $1").binding(hash))
          return rows.count == 0
            ? nil : Suppression(rawValue: Int64(try rows.required(0, 0, as: Int16.self)))
        }
      },
      membership: { try await OutboxUnderTest.postgresql(store, database).membership($0) },
      erase: { address, trace in
        let eraser = try ListCommands(
          CommandConnection(database.parameters), keyring: store.keyring)
        defer { eraser.close() }
        return try eraser.erase([address], leaving: trace)
      }
    )
  }
}
