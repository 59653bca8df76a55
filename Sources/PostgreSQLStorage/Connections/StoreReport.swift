/// A line for the operator about a store's connections.
package enum StoreReport: Hashable, Sendable {
  /// A change of a connection; the name is `writer`, `follower` or `reader`.
  case connection(name: String, ConnectionReport)
  /// What the operator should know about the way to the server.
  case path(PathNotice)

  /// Whether it says that something is well again, or as good as can be.
  package var isInformation: Bool {
    switch self {
    case .connection(_, .back), .path(.proxied): true
    case .connection(_, .lost), .connection(_, .warning), .path(.unheard): false
    }
  }
}

extension StoreReport: CustomStringConvertible {
  /// One line, without the server's messages.
  package var description: String {
    switch self {
    case .connection(let name, .lost(let reason)):
      "the connection of the \(name) to the database server is lost: \(reason)"
    case .connection(let name, .back):
      "the connection of the \(name) to the database server is back"
    case .connection(_, .warning(let warning)): "\(warning)"
    case .path(let notice): "\(notice)"
    }
  }
}
