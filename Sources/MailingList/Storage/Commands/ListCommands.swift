package import EmailAddresses
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

/// The changes of a list that commands make by address, while services use the list.
// Not Sendable: a single thread uses it.
package final class ListCommands {
  private let access: any CommandAccess
  private let keys: MailKeys

  /// Takes over a connection.
  ///
  /// - Parameter keyring: The secret of the service; `nil` uses that of the database.
  /// - Throws: The database's error at opening, also when there is no secret.
  package init(_ access: any CommandAccess, keyring: Keyring?) throws {
    self.access = access
    keys = try access.mailKeys(keyring)
  }

  /// Counts what erasing the addresses would delete.
  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    try perform { (list) throws(StoreError) in try list.count(addresses) }
  }

  /// Erases subscribers with all consents, links, codes and queued mails, in one transaction.
  ///
  /// The trace also concerns addresses that are not on the list. The files are rewritten even if
  /// none of the addresses is on it: they may still contain bytes of rows that another program
  /// deleted, or bytes that an earlier erasure could not remove.
  package func erase(
    _ addresses: [EmailAddress], leaving trace: ErasureTrace
  ) throws(ErasureError) -> ErasedCounts {
    let counts: ErasedCounts
    do throws(StoreError) {
      counts = try perform { (list) throws(StoreError) in
        try list.erase(addresses, leaving: trace, by: .command, at: .now)
      }
    } catch {
      throw .notErased(error)
    }
    do throws(StoreError) {
      try access.rewrite()
    } catch {
      throw .bytesRemain(error)
    }
    return counts
  }

  /// Suppresses addresses in one transaction, also those that are not on the list; a weaker reason
  /// does not replace a stronger one.
  package func suppress(
    _ addresses: [EmailAddress], _ reason: Suppression, at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult] {
    try perform { (list) throws(StoreError) in
      try list.suppress(addresses, reason, by: .command, at: time)
    }
  }

  /// Stores people of another list, with different addresses, in one transaction, or only decides
  /// about them.
  package func store(
    _ people: [ImportedPerson], at time: Timestamp, onlyDeciding: Bool = false
  ) throws(StoreError) -> [ImportResult] {
    try perform { (list) throws(StoreError) in
      try list.store(people, by: .command, at: time, onlyDeciding: onlyDeciding)
    }
  }

  package func close() { access.close() }

  private func perform<Value>(
    _ body: (ListWriter) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try access.perform { (session) throws(StoreError) in
      try body(ListWriter(session, keys: keys))
    }
  }
}

/// The command line's access to the keys of the operator's interface, while services use them.
// Not Sendable: a single thread uses it.
package final class ListKeyAdministration {
  private let access: any CommandAccess

  /// Takes over a connection, which is closed when the object is released.
  package init(_ access: any CommandAccess) {
    self.access = access
  }

  deinit {
    access.close()
  }

  /// Stores a new key.
  ///
  /// - Throws: `KeyAdministrationError`, after which nothing is stored, except with
  ///   ``StoreError/undetermined``.
  package func create(_ key: StoredKey) throws(KeyAdministrationError) {
    let (isStored, exists) = try perform { (table) throws(StoreError) in
      if try table.create(key) { return (true, true) }
      return (false, try table.key(key.id) != nil)
    }
    if !isStored { throw exists ? .exists : .tooMany }
  }

  /// Reads all keys in the order of their creation, including those that are revoked or have
  /// expired.
  package func keys() throws(KeyAdministrationError) -> [StoredKey] {
    try perform { (table) throws(StoreError) in try table.keys() }
  }

  /// Revokes a key permanently; returns `false` if it was already revoked.
  package func revoke(_ id: String, at time: Timestamp) throws(KeyAdministrationError) -> Bool {
    let (isNew, isKnown) = try perform { (table) throws(StoreError) in
      if try table.revoke(id, at: time) { return (true, true) }
      return (false, try table.key(id) != nil)
    }
    guard isKnown else { throw .unknown(id: id) }
    return isNew
  }

  private func perform<Value>(
    _ body: (KeyTable) throws(StoreError) -> Value
  ) throws(KeyAdministrationError) -> Value {
    do throws(StoreError) {
      return try access.perform { (session) throws(StoreError) in try body(KeyTable(session)) }
    } catch {
      throw .store(error)
    }
  }
}
