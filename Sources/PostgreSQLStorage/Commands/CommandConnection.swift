internal import Secrets

/// The one connection of a command that runs next to the service.
// Not Sendable: one thread at a time uses it.
final class CommandConnection {
  /// The connection.
  let connection: PostgreSQLConnection
  private let location: String
  private let timeout: Duration

  /// Connects to a database whose schema is that of the program.
  ///
  /// - Parameters:
  ///   - parameters: Where the database is.
  ///   - timeout: How long the server may take for a statement.
  ///   - mayRead: Whether a server that only reads is accepted.
  /// - Throws: `PostgreSQLOpeningError`.
  init(
    _ parameters: ConnectionParameters,
    timeout: Duration,
    mayRead: Bool = false
  ) throws(PostgreSQLOpeningError) {
    location = "\(parameters)"
    self.timeout = timeout
    connection = PostgreSQLConnection(
      .init(
        parameters: mayRead ? parameters.acceptingStandbys : parameters,
        statementTimeout: OpenConnections.Request.statementTimeout(timeout),
        mayRead: mayRead
      )
    )
    let found = try opening { () throws(PostgreSQLError) in
      try session().schemaVersion(by: end)
    }
    let known = SchemaMigrator().latest
    guard found.number >= known else {
      throw .schemaOlder(location: location, found: found.number, known: known)
    }
  }

  /// The time by which the result of a statement must arrive.
  var end: ContinuousClock.Instant { .now + timeout }

  /// Returns the session, and opens one if necessary.
  func session() throws(PostgreSQLError) -> PostgreSQLSession {
    try connection.ready(by: end, untilRejected: true)
  }

  /// Reads the secret of the database.
  ///
  /// - Returns: The secret.
  /// - Throws: ``PostgreSQLOpeningError/noSecret(location:)`` if there is none, and other errors.
  func keyring() throws(PostgreSQLOpeningError) -> Keyring {
    let found = try opening { () throws(PostgreSQLError) in
      try StoredSecret.existing(in: session(), by: end)
    }
    guard let found else { throw .noSecret(location: location) }
    return found
  }

  private func opening<Value>(
    _ body: () throws(PostgreSQLError) -> Value
  ) throws(PostgreSQLOpeningError) -> Value {
    do throws(PostgreSQLError) {
      return try body()
    } catch {
      if let rejection = connection.rejection {
        throw .rejected(location: location, rejection)
      }
      switch error {
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
