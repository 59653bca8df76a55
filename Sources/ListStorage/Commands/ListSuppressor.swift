package import EmailAddresses
package import MailingList
package import Secrets

/// A writer of suppressions that works while services use the list.
// Not Sendable: a single thread uses it.
package final class ListSuppressor {
  private let access: any CommandAccess
  private let keys: MailKeys

  package init(_ access: any CommandAccess, keys: MailKeys) {
    self.access = access
    self.keys = keys
  }

  /// Suppresses addresses in one transaction, also those that are not on the list; a weaker reason
  /// does not replace a stronger one.
  package func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult] {
    try access.perform { (session) throws(StoreError) in
      try ListWriter(session, keys: keys).suppress(addresses, reason, at: time)
    }
  }

  package func close() { access.close() }
}
