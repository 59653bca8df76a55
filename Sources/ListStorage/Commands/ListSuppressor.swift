package import EmailAddresses
package import MailingList
package import Secrets

/// A writer of suppressions that works while services use the list.
// Not Sendable: a single thread uses it.
package final class ListSuppressor {
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

  /// Suppresses addresses in one transaction, also those that are not on the list; a weaker reason
  /// does not replace a stronger one.
  package func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult] {
    try access.perform { (session) throws(StoreError) in
      try ListWriter(session, keys: keys).suppress(addresses, reason, by: .command, at: time)
    }
  }

  package func close() { access.close() }
}
