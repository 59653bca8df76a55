package import EmailAddresses
package import MailingList
package import Secrets

/// An eraser that deletes subscribers with all consents, links, codes and queued mails, while
/// services use the list.
///
/// The files are rewritten even if none of the addresses is on the list: they may still contain
/// bytes of rows that another program deleted, or bytes that an earlier erasure could not remove.
// Not Sendable: a single thread uses it.
package final class ListEraser {
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

  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    try access.perform { (session) throws(StoreError) in
      try ListWriter(session, keys: keys).count(addresses)
    }
  }

  /// Erases subscribers in one transaction.
  ///
  /// The trace also concerns addresses that are not on the list.
  package func erase(
    _ addresses: [EmailAddress],
    leaving trace: ErasureTrace
  ) throws(ErasureError) -> ErasedCounts {
    let counts: ErasedCounts
    do throws(StoreError) {
      counts = try access.perform { (session) throws(StoreError) in
        try ListWriter(session, keys: keys)
          .erase(addresses, leaving: trace, by: .command, at: .now)
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

  package func close() { access.close() }
}
