internal import MailingList
internal import Secrets

/// The one connection of a command that runs next to the service.
// Not Sendable: one thread at a time uses it.
final class CommandConnection {
  /// The connection.
  let connection: PostgreSQLConnection
  /// The database, for the operator.
  let location: String
  private let timeout: Duration

  /// Connects to a database whose schema is that of the program.
  ///
  /// - Parameters: - timeout: How long the server may take for a statement. - mayRead: Whether a
  ///   server that only reads is accepted. - role: What the database is in a copy, which needs
  ///   exactly the schema of the program; a target
  ///     may be empty, and then gets it. `nil` for other commands.
  init(
    _ parameters: ConnectionParameters,
    timeout: Duration,
    mayRead: Bool = false,
    copying role: CopyRole? = nil
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

  /// The time by which the result of a statement must arrive.
  var end: ContinuousClock.Instant { .now + timeout }

  /// Returns the session, and opens one if necessary.
  func session() throws(PostgreSQLError) -> PostgreSQLSession {
    try connection.ready(by: end, untilRejected: true)
  }

  /// Derives the keys of hashes.
  ///
  /// - Parameter keyring: The secret of the settings; `nil` reads that of the database.
  /// - Throws: ``PostgreSQLOpeningError/noSecret(location:)`` if there is none, and other errors.
  func mailKeys(_ keyring: Keyring?) throws(PostgreSQLOpeningError) -> MailKeys {
    if let keyring { return MailKeys(keyring) }
    let found = try opening { () throws(PostgreSQLError) in
      try StoredSecret.existing(in: session(), by: end)
    }
    guard let found else { throw .noSecret(location: location) }
    return MailKeys(found)
  }

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
