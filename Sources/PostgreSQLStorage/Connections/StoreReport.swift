/// A report about a store, for the operator's log.
package enum StoreReport: Hashable, Sendable {
  /// A change of a connection; if several are lost, only the first loss and the last return are
  /// reported.
  case connection(ConnectionReport)
  /// The store is waiting for the server at startup.
  case waiting(server: String, reason: String)
  /// There is a proxy in front of the server, which retains the settings of a session.
  case proxied
  /// Notifications do not arrive, so the status log is polled.
  case unheard
  /// Messages of the status log have had no positions for some time.
  case stalled
  /// Messages are getting positions again.
  case continued
  /// Rows of the status log were deleted because they are malformed.
  case malformed(count: Int)

  /// Whether the report is information rather than a warning.
  package var isInformation: Bool {
    switch self {
    case .connection(.back), .proxied, .continued: true
    case .connection(.lost), .connection(.rejected), .connection(.warning), .waiting, .unheard,
      .stalled, .malformed:
      false
    }
  }
}

extension StoreReport: CustomStringConvertible {
  /// One line with the problem and its remedy, without the server's messages about statements.
  package var description: String {
    switch self {
    case .connection(.lost(let server, let reason)):
      "the connection to the database server at \(server) is lost: \(reason)"
    case .connection(.rejected(let server, let reason)):
      "the database server at \(server) cannot be used: \(reason)"
    case .connection(.back(let server)):
      "the connection to the database server at \(server) is back"
    case .connection(.warning(let warning)): "\(warning)"
    case .waiting(let server, let reason):
      "waiting for the database server at \(server): \(reason)"
    case .proxied: "there is a proxy in front of the database server"
    case .unheard: "notifications of the database server are not heard; polling replaces them"
    case .stalled:
      """
      status messages have waited for their positions for 10 seconds, and streams are silent; end \
      the session that holds a lock on the tables status_numbering, status_pending or status_log
      """
    case .continued: "status messages get their positions again"
    case .malformed(let count):
      """
      rows of the table status_pending that were malformed and have been deleted: \(count); only \
      this program should write to the schema enlist
      """
    }
  }
}
