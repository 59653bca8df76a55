/// Why a store did not do what it was asked to; nothing is half stored then.
package enum StoreError: Error, Hashable, Sendable {
  /// No space, or no permission to take more of it.
  case full
  /// Another process held its lock for longer than the busy timeout.
  case locked
  /// It may only be read.
  case readOnly
  /// Its content is not what the store wrote.
  case damaged
  /// Its files were removed or replaced while it was open; it stores nothing any more.
  case replaced
  /// More is waiting to be stored than the store takes.
  case overloaded
  /// It was closed.
  case closed
  /// Anything else, with the store's own code (SQLite: the extended result code).
  case failed(code: Int32)
}

extension StoreError: CustomStringConvertible {
  /// A few words for the operator.
  package var description: String {
    switch self {
    case .full: "the disk is full"
    case .locked: "another process holds the lock"
    case .readOnly: "the database may only be read"
    case .damaged: "the database is damaged"
    case .replaced:
      """
      the database was removed or replaced while the service runs; stop the service, put the database \
      in its place, and start the service again
      """
    case .overloaded: "more is waiting than is taken"
    case .closed: "the store is closed"
    case .failed(let code): "the store failed with code \(code)"
    }
  }
}
