package import MailingList
package import Secrets

/// An importer of other lists that works while services use this one.
// Not Sendable: a single thread uses it.
package final class ListImporter {
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

  /// Stores people with different addresses in one transaction, or only decides about them.
  package func store(
    _ people: [ImportedPerson],
    at time: Timestamp,
    onlyDeciding: Bool = false
  ) throws(StoreError) -> [ImportResult] {
    try access.perform { (session) throws(StoreError) in
      try ListWriter(session, keys: keys)
        .store(people, by: .command, at: time, onlyDeciding: onlyDeciding)
    }
  }

  package func close() { access.close() }
}
