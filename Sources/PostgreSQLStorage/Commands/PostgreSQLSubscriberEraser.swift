package import EmailAddresses
package import MailingList
package import Secrets

/// An eraser of subscribers that works while the services of a list are running.
///
/// One function call deletes a subscriber, all its consents, its links and code, and the mails that
/// wait for it; a suppression stays as a keyed hash. The server's files contain its bytes until a
/// vacuum, which usually follows automatically, and its write-ahead log and backups as long as the
/// operator keeps them.
// Not Sendable: a single thread uses it.
package final class PostgreSQLSubscriberEraser: SubscriberEraser {
  private let opened: CommandConnection
  private let keys: MailKeys

  /// Connects to a database.
  ///
  /// - Parameters:
  ///   - keyring: The secret of the service; `nil` uses that of the database.
  ///   - timeout: How long the server may take for a statement.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's, and
  ///   when there is no secret: the service would neither lock nor find with another one.
  package init(
    _ parameters: ConnectionParameters,
    keyring: Keyring?,
    timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    let opened = try CommandConnection(parameters, timeout: timeout)
    self.opened = opened
    keys = try opened.mailKeys(keyring)
  }

  /// Counts the subscribers and consents that ``erase(_:)`` would erase.
  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    try execute(
      Query(
        """
        SELECT count(*), coalesce(sum((
          SELECT count(*) FROM enlist.consents c WHERE c.subscriber_id = s.id
        )), 0)::bigint, 0::bigint FROM enlist.subscribers s WHERE s.address_key = ANY($1)
        """
      ).binding(array: Set(addresses.map(\.key)).map(Optional.some))
    )
  }

  /// Erases subscribers and all that belongs to them in one transaction.
  package func erase(
    _ addresses: [EmailAddress],
    forgettingSuppressions forgetsSuppressions: Bool
  ) throws(ErasureError) -> ErasedCounts {
    let people = Set(addresses.map(\.key)).map { (key: $0, hashes: keys.suppressions($0)) }
    let query = Query("SELECT * FROM enlist.erase_subscribers($1, $2, $3, $4, $5)")
      .binding(array: people.map { Optional($0.key) })
      .binding(array: people.map(\.hashes.first))
      .binding(array: people.map { $0.hashes.dropFirst().first })
      .binding(forgetsSuppressions)
      .binding(Timestamp.now)
    do throws(StoreError) {
      return try execute(query)
    } catch {
      throw .notErased(error)
    }
  }

  /// Closes the connection.
  package func close() {
    opened.connection.close()
  }

  private func execute(_ query: Query) throws(StoreError) -> ErasedCounts {
    do throws(PostgreSQLError) {
      let rows = try opened.session().execute(query, by: opened.end)
      return ErasedCounts(
        subscribers: Int(try rows.required(0, 0, as: Int64.self)),
        consents: Int(try rows.required(0, 1, as: Int64.self)),
        suppressions: Int(try rows.required(0, 2, as: Int64.self))
      )
    } catch {
      throw StoreError(error)
    }
  }
}
