package import ListStorage
package import MailingList
package import Secrets

/// The one connection of a command that runs next to the service.
// Not Sendable: one thread at a time uses it.
package final class CommandConnection: CommandAccess {
  /// The connection.
  let connection: PostgreSQLConnection
  /// The database, for the operator.
  let location: String
  private let timeout: Duration

  /// Connects to a database whose schema is that of the program.
  ///
  /// - Parameters:
  ///   - timeout: How long the server may take for a statement.
  ///   - mayRead: Whether a server that only reads is accepted.
  ///   - role: What the database is in a copy, which needs exactly the schema of the program; a
  ///     target may be empty, and then gets it. `nil` for other commands.
  init(
    _ parameters: ConnectionParameters,
    timeout: Duration,
    mayRead: Bool,
    copying role: CopyRole?
  ) throws(PostgreSQLOpeningError) {
    location = "\(parameters)"
    self.timeout = timeout
    connection = PostgreSQLConnection(
      .init(
        parameters: mayRead ? parameters.acceptingStandbys : parameters,
        statementTimeout: OpenConnections.Request.statementTimeout(timeout),
        mayRead: mayRead,
        mayBeUnfinished: role == .target
      )
    )
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
        found: found.number,
        worksFrom: found.number,
        known: known
      )
      throw .rejected(location: location, reason)
    }
  }

  /// Connects to a database that services may be using.
  ///
  /// - Parameters:
  ///   - timeout: How long the server may take for a statement.
  ///   - mayRead: Whether a server that only reads is accepted.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's.
  package convenience init(
    _ parameters: ConnectionParameters,
    timeout: Duration = .seconds(5),
    mayRead: Bool = false
  ) throws(PostgreSQLOpeningError) {
    try self.init(parameters, timeout: timeout, mayRead: mayRead, copying: nil)
  }

  /// The time by which the result of a statement must arrive.
  var end: ContinuousClock.Instant { .now + timeout }

  /// Returns the session, and opens one if necessary.
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
      // Closing the connection rolls back.
      if list.failure?.endsSession ?? false { connection.close() }
      throw error
    }
  }

  /// Does nothing: the server's files contain deleted bytes until a vacuum, which usually follows
  /// automatically, and its write-ahead log and backups as long as the operator keeps them.
  package func rewrite() {}

  package func close() { connection.close() }

  private func schemaVersion() throws(PostgreSQLOpeningError) -> SchemaVersion {
    try opening { () throws(PostgreSQLError) in try session().schemaVersion(by: end) }
  }

  /// Gives an empty database the schema.
  private func migrate() throws(PostgreSQLOpeningError) {
    try opening { () throws(PostgreSQLError) in try connection.migrate(session()) }
  }

  /// Uses the connection before the command begins.
  func opening<Value>(
    _ body: () throws(PostgreSQLError) -> Value
  ) throws(PostgreSQLOpeningError) -> Value {
    do throws(PostgreSQLError) {
      return try body()
    } catch {
      if let rejection = connection.rejection {
        throw .rejected(location: location, rejection)
      }
      switch error {
      case .unreachable where connection.isDenied:
        throw .denied(location: location, reason: connection.problem ?? "")
      case .unreachable, .undetermined:
        throw .unreachable(location: location, reason: connection.problem ?? "")
      case .server(let state): throw .failed(location: location, code: "\(state)")
      case .malformed: throw .failed(location: location, code: "XX001")
      }
    }
  }
}

extension ConnectionParameters {
  /// The same database, on any of its hosts.
  fileprivate var acceptingStandbys: ConnectionParameters {
    var parameters = self
    parameters.replace("target_session_attrs", by: "any")
    return parameters
  }
}
