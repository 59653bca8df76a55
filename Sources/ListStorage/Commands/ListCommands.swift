package import EmailAddresses
package import MailingList
package import Security

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
