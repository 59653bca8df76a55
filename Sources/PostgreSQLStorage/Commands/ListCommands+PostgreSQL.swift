package import ListStorage
package import Secrets

extension ListEraser {
  /// Connects to a database.
  ///
  /// - Parameters:
  ///   - keyring: The secret of the service; `nil` uses that of the database.
  ///   - timeout: The time limit of the server for a statement.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's, and
  ///   when there is no secret: the service would neither lock nor find with another one.
  package convenience init(
    _ parameters: ConnectionParameters,
    keyring: Keyring?,
    timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    let connection = try CommandConnection(parameters, timeout: timeout)
    self.init(connection, keys: try connection.mailKeys(keyring))
  }
}

extension ListSuppressor {
  /// Connects to a database, like an eraser.
  package convenience init(
    _ parameters: ConnectionParameters,
    keyring: Keyring?,
    timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    let connection = try CommandConnection(parameters, timeout: timeout)
    self.init(connection, keys: try connection.mailKeys(keyring))
  }
}

extension ListKeyAdministration {
  /// Connects to a database.
  ///
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's.
  package convenience init(
    _ parameters: ConnectionParameters,
    timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    self.init(try CommandConnection(parameters, timeout: timeout))
  }
}
