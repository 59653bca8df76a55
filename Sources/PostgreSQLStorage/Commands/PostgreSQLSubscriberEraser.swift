package import EmailAddresses
package import MailingList

/// An eraser of subscribers that works while the services of a list are running.
///
/// One function call deletes a subscriber, all its consents, its links and code, and the mails that
/// wait for it. The server's files contain its bytes until a vacuum, which usually follows by itself,
/// and its write-ahead log and backups as long as the operator keeps them.
// Not Sendable: a single thread uses it.
package final class PostgreSQLSubscriberEraser: SubscriberEraser {
  private let opened: CommandConnection

  /// Connects to a database.
  ///
  /// - Parameters:
  ///   - parameters: Where the database is.
  ///   - timeout: How long the server may take for a statement.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's.
  package init(
    _ parameters: ConnectionParameters,
    timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    opened = try CommandConnection(parameters, timeout: timeout)
  }

  /// Counts the subscribers and consents that ``erase(_:)`` would erase.
  ///
  /// - Parameter addresses: The addresses to look up by their comparison keys.
  /// - Returns: The numbers of subscribers on the list and of their consents.
  /// - Throws: `StoreError`.
  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    try execute(
      """
      SELECT count(*), coalesce(sum((
        SELECT count(*) FROM enlist.consents c WHERE c.subscriber_id = s.id
      )), 0)::bigint FROM enlist.subscribers s WHERE s.address_key = ANY($1)
      """,
      addresses
    )
  }

  /// Erases subscribers and all that belongs to them in one transaction.
  ///
  /// - Parameter addresses: The addresses to erase, found by their comparison keys.
  /// - Returns: The numbers of subscribers and consents that were erased.
  /// - Throws: `ErasureError`.
  package func erase(_ addresses: [EmailAddress]) throws(ErasureError) -> ErasedCounts {
    do throws(StoreError) {
      return try execute("SELECT * FROM enlist.erase_subscribers($1)", addresses)
    } catch {
      throw .notErased(error)
    }
  }

  /// Closes the connection.
  package func close() {
    opened.connection.close()
  }

  private func execute(
    _ sql: String,
    _ addresses: [EmailAddress]
  ) throws(StoreError) -> ErasedCounts {
    let keys = Set(addresses.map(\.key)).map(Optional.some)
    do throws(PostgreSQLError) {
      let query = Query(sql).binding(array: keys)
      let rows = try opened.session().execute(query, by: opened.end)
      return ErasedCounts(
        subscribers: Int(try rows.required(0, 0, as: Int64.self)),
        consents: Int(try rows.required(0, 1, as: Int64.self))
      )
    } catch {
      throw StoreError(error)
    }
  }
}
