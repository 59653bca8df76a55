package import ListStorage
package import Secrets

extension ListEraser {
  /// Opens an existing database.
  ///
  /// - Parameter keyring: The secret of the service; `nil` uses that of the database.
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's, and when
  ///   there is no secret: the service could not find hashes that were made with another secret.
  package convenience init(
    path: String,
    keyring: Keyring?,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    let database = try CommandDatabase(path: path, busyTimeout: busyTimeout)
    self.init(database, keys: try database.mailKeys(keyring))
  }
}

extension ListSuppressor {
  /// Opens an existing database, like an eraser.
  package convenience init(
    path: String,
    keyring: Keyring?,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    let database = try CommandDatabase(path: path, busyTimeout: busyTimeout)
    self.init(database, keys: try database.mailKeys(keyring))
  }
}

extension ListKeyAdministration {
  /// Opens an existing database.
  ///
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's.
  package convenience init(
    path: String,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    self.init(try CommandDatabase(path: path, busyTimeout: busyTimeout))
  }
}
