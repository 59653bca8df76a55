/// What the operator should know about the way to the server; reported at startup.
package enum PathNotice: Hashable, Sendable {
  /// There is a proxy, which keeps the settings of a session.
  case proxied
  /// Notifications are not heard, so the log is polled.
  case unheard
}

extension PathNotice: CustomStringConvertible {
  /// What follows from it.
  package var description: String {
    switch self {
    case .proxied: "there is a proxy in front of the database server"
    case .unheard: "notifications of the database server are not heard; polling replaces them"
    }
  }
}
