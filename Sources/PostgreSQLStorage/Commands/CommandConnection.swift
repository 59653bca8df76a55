package import MailingList
package import Security

/// The only connection of a command that runs beside the service.
// Not Sendable: one thread at a time uses it.
package final class CommandConnection: CommandAccess {
  let connection: PostgreSQLConnection
  /// The location of the database, for the operator.
  let location: String
  private let timeout: Duration

  /// Connects to a database whose schema the program knows.
  ///
  /// - Parameters:
  ///   - timeout: The timeout of a statement.
  ///   - mayRead: Whether a read-only server is accepted.
  ///   - role: The role of the database in a copy, which requires exactly the program's schema and
  ///     creates it in an empty target; `nil` for other commands.
  init(
    _ parameters: ConnectionParameters, timeout: Duration, mayRead: Bool, copying role: CopyRole?
  ) throws(PostgreSQLOpeningError) {
    location = "\(parameters)"
    self.timeout = timeout
    connection = PostgreSQLConnection(
      .init(
        parameters: mayRead ? parameters.acceptingStandbys : parameters,
        statementTimeout: OpenConnections.Request.statementTimeout(timeout), mayRead: mayRead,
        mayBeUnfinished: role == .target))
    // A copy needs transactions of several statements.
    if role != nil { try requireTransactions() }
    var found = try schemaVersion()
    if role == .target, found == .none {
      try migrate()
      found = try schemaVersion()
    }
    let known = SchemaMigrator().latest
    guard found.number >= known else {
      throw .schemaOlder(location: location, found: found.number, known: known)
    }
    guard role == nil || found.number == known else {
      let reason = ServerRejection.schemaNewer(
        found: found.number, worksFrom: found.number, known: known)
      throw .rejected(location: location, reason)
    }
  }

  /// Connects to a database that services may be using.
  ///
  /// - Parameters:
  ///   - timeout: The timeout of a statement.
  ///   - mayRead: Whether a read-only server is accepted.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's.
  package convenience init(
    _ parameters: ConnectionParameters, timeout: Duration = .seconds(5), mayRead: Bool = false
  ) throws(PostgreSQLOpeningError) {
    try self.init(parameters, timeout: timeout, mayRead: mayRead, copying: nil)
  }

  /// The deadline of a statement that is sent now.
  var end: ContinuousClock.Instant { .now + timeout }

  /// Returns the session; opens one if necessary.
  func session() throws(PostgreSQLError) -> PostgreSQLSession {
    try connection.ready(by: end, untilRejected: true)
  }

  package func storedSecret() throws(PostgreSQLOpeningError) -> Keyring {
    let found = try opening { () throws(PostgreSQLError) in
      try StoredSecret.existing(in: session(), by: end)
    }
    guard let found else { throw .noSecret(location: location) }
    return found
  }

  package func perform<Value>(
    _ body: (any ListSession) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let session: PostgreSQLSession
    do throws(PostgreSQLError) {
      session = try self.session()
    } catch {
      throw StoreError(error)
    }
    let list = PostgreSQLListSession(session, by: end)
    do throws(StoreError) {
      return try body(list)
    } catch {
      // Closing the connection rolls back the transaction.
      if list.failure?.endsSession ?? false { connection.close() }
      throw error
    }
  }

  /// Does nothing: deleted bytes remain in the server's files until a vacuum, which usually follows
  /// automatically, and in its write-ahead log and backups as long as the operator retains them.
  package func rewrite() {}

  package func close() { connection.close() }

  private func schemaVersion() throws(PostgreSQLOpeningError) -> SchemaVersion {
    try opening { () throws(PostgreSQLError) in try session().schemaVersion(by: end) }
  }

  private func requireTransactions() throws(PostgreSQLOpeningError) {
    try opening { () throws(PostgreSQLError) in
      guard try !session().opensTransactions(by: end) else { return }
      connection.reject(.pooler)
      throw .unreachable
    }
  }

  /// Creates the schema in an empty database.
  private func migrate() throws(PostgreSQLOpeningError) {
    try opening { () throws(PostgreSQLError) in try connection.migrate(session()) }
  }

  /// Uses the connection before the command begins, and converts its errors.
  func opening<Value>(
    _ body: () throws(PostgreSQLError) -> Value
  ) throws(PostgreSQLOpeningError) -> Value {
    do throws(PostgreSQLError) {
      return try body()
    } catch {
      throw connection.openingError(error, at: location)
    }
  }
}

extension ConnectionParameters {
  /// The same database, on any of its hosts, including standbys.
  fileprivate var acceptingStandbys: ConnectionParameters {
    var parameters = self
    parameters.replace("target_session_attrs", by: "any")
    return parameters
  }
}
