package import MailingList
package import Security

/// The only connection of a command, which works while services use the list.
// Not Sendable: a single thread uses it.
package protocol CommandAccess {
  /// Runs a closure, in one transaction if the database is a file.
  func perform<Value>(
    _ body: (any ListSession) throws(StoreError) -> Value
  ) throws(StoreError) -> Value

  /// Removes the bytes of deleted rows from the database, as far as a connection can.
  func rewrite() throws(StoreError)

  /// Reads the secret of the database.
  ///
  /// - Throws: The database's error at opening, also when there is no secret: the service would
  ///   neither lock nor find what another secret hashes.
  func storedSecret() throws -> Keyring

  func close()
}

extension CommandAccess {
  /// Derives the keys of hashes.
  ///
  /// - Parameter keyring: The secret of the settings; `nil` reads that of the database.
  package func mailKeys(_ keyring: Keyring?) throws -> MailKeys {
    MailKeys(try keyring ?? storedSecret())
  }
}
