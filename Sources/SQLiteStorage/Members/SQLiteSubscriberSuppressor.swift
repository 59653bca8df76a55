package import EmailAddresses
package import MailingList
package import Secrets

/// A writer of suppressions that works while the service is running.
// Not Sendable: a single thread uses it.
package final class SQLiteSubscriberSuppressor: SubscriberSuppressor {
  private let database: CommandDatabase
  private let keys: MailKeys

  /// Opens an existing database.
  ///
  /// - Parameter keyring: The secret of the service; `nil` uses that of the database.
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's, and when
  ///   there is no secret: the service could not find hashes that were made with another secret.
  package init(
    path: String,
    keyring: Keyring?,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    database = try CommandDatabase(path: path, busyTimeout: busyTimeout)
    keys = try database.mailKeys(keyring, path: path)
  }

  /// Suppresses addresses in one transaction, including addresses that are not on the list.
  ///
  /// A weaker reason does not replace a stronger one.
  ///
  /// - Throws: `StoreError` if nothing was stored.
  package func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult] {
    do {
      return try database.transaction { db in
        try suppress(addresses, reason, at: time, in: db)
      }
    } catch {
      throw StoreError(error)
    }
  }

  package func close() {
    database.close()
  }

  private func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    at time: Timestamp,
    in db: SQLiteConnection
  ) throws -> [SuppressionResult] {
    let writer = ChangeWriter.forCommand(db, keys)
    var results: [SuppressionResult] = []
    for address in addresses {
      results.append(try writer.suppress(address, reason, at: time))
    }
    return results
  }
}
