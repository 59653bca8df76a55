package import MailingList

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
