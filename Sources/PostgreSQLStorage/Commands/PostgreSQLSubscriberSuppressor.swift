package import EmailAddresses
package import MailingList
package import Secrets

/// A writer of suppressions that works while the services of a list are running.
// Not Sendable: a single thread uses it.
package final class PostgreSQLSubscriberSuppressor: SubscriberSuppressor {
  private let opened: CommandConnection
  private let keys: MailKeys

  /// Connects to a database.
  ///
  /// - Parameters:
  ///   - keyring: The secret of the service; `nil` uses that of the database.
  ///   - timeout: How long the server may take for a statement.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's, and
  ///   when there is no secret: the service would not find what another secret has hashed.
  package init(
    _ parameters: ConnectionParameters,
    keyring: Keyring?,
    timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    opened = try CommandConnection(parameters, timeout: timeout)
    keys = try opened.mailKeys(keyring)
  }

  /// Suppresses addresses in one transaction, also those that are not on the list.
  ///
  /// - Parameter reason: The reason; a weaker one does not replace a stronger one.
  /// - Throws: `StoreError` when nothing was stored, except ``StoreError/undetermined``.
  package func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult] {
    do throws(PostgreSQLError) {
      let session = try opened.session()
      let writer = ChangeWriter(
        session,
        by: opened.end,
        keys: keys,
        optIn: .single,
        random: PooledRandomNumberGenerator(pool: RandomPool())
      )
      try session.execute(Query("BEGIN"), by: opened.end)
      // First all gates in the order of their hashes, then rows in the order of keys, as everywhere,
      // so that two transactions never wait for each other.
      let gates = Query(
        """
        SELECT pg_advisory_xact_lock(h)
        FROM (SELECT enlist.address_lock(k) AS h FROM unnest($1) AS k ORDER BY 1) AS o
        """
      ).binding(array: addresses.flatMap { keys.suppressions($0.key) }.map(Optional.some))
      try session.execute(gates, by: opened.end)
      var results = addresses.map { _ in SuppressionResult.already }
      let order = addresses.indices.sorted {
        addresses[$0].key.utf8.lexicographicallyPrecedes(addresses[$1].key.utf8)
      }
      for index in order {
        results[index] = try writer.suppress(addresses[index], reason, at: time)
      }
      try session.execute(Query("COMMIT"), by: opened.end)
      return results
    } catch {
      // Closing the connection rolls back.
      opened.connection.close()
      throw StoreError(error)
    }
  }

  /// Closes the connection.
  package func close() {
    opened.connection.close()
  }
}
