package import MailingList

/// The keys of the operator's interface in a database, which services may be using.
// Not Sendable: a single thread uses it.
package final class PostgreSQLKeyAdministration: KeyAdministration {
  private let opened: CommandConnection

  /// Connects to a database.
  ///
  /// - Parameter timeout: How long the server may take for a statement.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's.
  package init(
    _ parameters: ConnectionParameters,
    timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    opened = try CommandConnection(parameters, timeout: timeout)
  }

  deinit {
    opened.connection.close()
  }

  /// Stores a new key, unless there are ``KeyLimit/maximumCount`` already.
  ///
  /// - Throws: `KeyAdministrationError`; then nothing was stored, except with
  ///   ``StoreError/undetermined``.
  package func create(_ key: StoredKey) throws(KeyAdministrationError) {
    let query = Query("SELECT enlist.create_key($1, $2, $3, $4, $5, $6, $7)")
      .binding(key.id).binding(key.name).binding(key.scopeText).binding(key.hash)
      .binding(key.createdAt).binding(key.expiresAt).binding(Int32(KeyLimit.maximumCount))
    let number = try execute { (session) throws(PostgreSQLError) in
      try session.read(query).required(0, 0, as: Int16.self)
    }
    switch number {
    case 0: return
    case 1: throw .tooMany
    default: throw .exists
    }
  }

  /// Reads all keys in the order of their creation.
  package func keys() throws(KeyAdministrationError) -> [StoredKey] {
    try execute { (session) throws(PostgreSQLError) in try Queries.keys(in: session) }
  }

  /// Revokes a key permanently.
  ///
  /// - Returns: Whether the key had not been revoked before.
  package func revoke(_ id: String, at time: Timestamp) throws(KeyAdministrationError) -> Bool {
    let query = Query(
      """
      WITH revoked AS (
        UPDATE enlist.keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id
      )
      SELECT EXISTS (SELECT FROM revoked), EXISTS (SELECT FROM enlist.keys WHERE id = $1)
      """
    ).binding(id).binding(time)
    let (isNew, isKnown) = try execute { (session) throws(PostgreSQLError) in
      let row = try session.read(query)
      return (try row.required(0, 0, as: Bool.self), try row.required(0, 1, as: Bool.self))
    }
    guard isKnown else { throw .unknown(id: id) }
    return isNew
  }

  private func execute<Value>(
    _ body: (ReadSession) throws(PostgreSQLError) -> Value
  ) throws(KeyAdministrationError) -> Value {
    do throws(PostgreSQLError) {
      return try body(ReadSession(session: opened.session(), deadline: opened.end))
    } catch {
      throw .store(StoreError(error))
    }
  }
}
