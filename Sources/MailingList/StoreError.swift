/// The reason why a store operation failed; a failed operation stores nothing, unless it is
/// ``undetermined``.
package enum StoreError: Error, Hashable, Sendable {
  /// The disk is full, or a quota or a limit on file sizes is exceeded.
  case full
  /// Another process held the lock for longer than the busy timeout.
  case locked
  case readOnly
  /// The content is not that which the store wrote.
  case damaged
  /// The files were changed, removed or replaced while the store was open; it no longer stores
  /// anything.
  case replaced
  /// The write queue is full.
  case overloaded
  case closed
  /// There is no connection to the server.
  case unreachable
  /// The program does not support the schema of the database.
  case incompatible
  /// The server did not report in time whether it stored the change, or the files were changed,
  /// removed or replaced meanwhile; sending the change again is harmless.
  case undetermined
  /// Another service is storing a sign-up for the same address.
  case executing
  /// Another error of SQLite, with its extended result code.
  case failed(code: Int32)
  /// Another error of a PostgreSQL server, with its SQLSTATE: five characters.
  case rejected(state: String)
}

extension StoreError: CustomStringConvertible {
  /// A short description for the operator.
  package var description: String {
    switch self {
    case .full: "the disk is full; free space on it"
    case .locked: "another process holds the lock; end that process or wait for it"
    case .readOnly: "the database is read-only"
    case .damaged: "the database is damaged"
    case .replaced:
      """
      the files of the database were changed, removed or replaced while the service was running; \
      stop the service, restore the database, and start the service again
      """
    case .overloaded: "the write queue is full"
    case .closed: "the store is closed"
    case .unreachable: "the database server is unreachable"
    case .incompatible: "the schema of the database is not supported by this release"
    case .undetermined: "it is not known whether the change was stored"
    case .executing: "another service is storing the same address"
    case .failed(let code): "the store failed with SQLite code \(code)"
    case .rejected("42501"):
      "the store failed with SQLSTATE 42501: the role may only read, or lacks rights on a table"
    case .rejected(let state): "the store failed with SQLSTATE \(state)"
    }
  }
}
