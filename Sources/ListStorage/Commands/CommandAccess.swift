package import MailingList

/// The only connection of a command, which works while services use the list.
// Not Sendable: a single thread uses it.
package protocol CommandAccess {
  /// Runs a closure, in one transaction if the database is a file.
  func perform<Value>(
    _ body: (any ListSession) throws(StoreError) -> Value
  ) throws(StoreError) -> Value

  /// Removes the bytes of deleted rows from the database, as far as a connection can.
  func rewrite() throws(StoreError)

  func close()
}
