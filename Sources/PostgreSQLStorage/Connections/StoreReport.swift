/// A line for the operator about a store's connections and its status log.
package enum StoreReport: Hashable, Sendable {
  /// A change of the connections, of which only the first one to be lost counts, and the last one to
  /// be back.
  case connection(ConnectionReport)
  /// The server is waited for at startup.
  case waiting(server: String, reason: String)
  /// What the operator should know about the way to the server.
  case path(PathNotice)
  /// What the operator should know about the status log.
  case statusLog(StatusLogReport)

  /// Whether it says that something is well again, or as good as can be.
  package var isInformation: Bool {
    switch self {
    case .connection(.back), .path(.proxied), .statusLog(.continued): true
    case .connection(.lost), .connection(.rejected), .connection(.warning), .waiting,
      .path(.unheard), .statusLog(.stalled), .statusLog(.malformed):
      false
    }
  }
}

extension StoreReport: CustomStringConvertible {
  /// One line, without the server's messages about statements.
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
    case .path(let notice): "\(notice)"
    case .statusLog(let report): "\(report)"
    }
  }
}
