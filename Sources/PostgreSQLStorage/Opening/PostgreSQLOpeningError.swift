internal import MailingList

/// The reason why a database was not opened; its description is for the operator.
///
/// The location contains neither the user nor the password.
package enum PostgreSQLOpeningError: Error, Hashable, Sendable {
  /// The timeout has passed without a connection.
  case unreachable(location: String, reason: String)
  /// The server rejects the role, its password or the database, or has no room for a connection.
  case denied(location: String, reason: String)
  /// The server or its database cannot be used.
  case rejected(location: String, ServerRejection)
  /// The schema is older than the program; the service migrates it at startup.
  case schemaOlder(location: String, found: Int, known: Int)
  /// A statement failed; the code is its SQLSTATE, or XX001 for an unexpected result.
  case failed(location: String, code: String)
  /// The database contains no secret, because the service was started with its own.
  case noSecret(location: String)
  /// A service, another command or a pooler is connected to the database of a copy.
  case inUse(location: String)

  /// Whether there is no connection to a server.
  package var isUnavailable: Bool {
    switch self {
    case .unreachable, .denied: true
    case .rejected, .schemaOlder, .failed, .noSecret, .inUse: false
    }
  }
}

extension PostgreSQLOpeningError: CustomStringConvertible {
  /// A message with the database, the problem and its remedy.
  package var description: String {
    switch self {
    case .unreachable(let location, let reason):
      "The database server cannot be reached (\(location))\(reason.isEmpty ? "" : ": \(reason)")."
    case .denied(let location, let reason):
      "The database server rejects the connection (\(location)): \(reason)."
    case .rejected(let location, let rejection):
      "The database cannot be used (\(location)): \(rejection)."
    case .schemaOlder(let location, let found, let known):
      """
      The database (\(location)) has schema version \(found), but this program needs \(known); \
      start the service once to migrate it.
      """
    case .failed(let location, let code):
      """
      The database cannot be used (\(location)): \(Self.cause(code)).\
      \(code == "42501" ? " To create or migrate the schema enlist, it must own it, or may create it." : "")
      """
    case .noSecret(let location):
      """
      The database (\(location)) contains no secret; use the secret that the service was started \
      with (--secret or --secret-file).
      """
    case .inUse(let location):
      """
      A service, another command or a pooler is connected to the database (\(location)); stop all \
      replicas, give the direct address, and run the same command again.
      """
    }
  }
  private static func cause(_ code: String) -> String {
    let cause = SQLState(code).map { "\(StoreError($0))" } ?? ""
    return cause.contains(code) ? cause : "SQLSTATE \(code): \(cause)"
  }
}
