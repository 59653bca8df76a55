internal import Platform
internal import PostgreSQLStorage

/// The database that stores the list.
enum DatabaseLocation: Hashable, Sendable {
  case sqlite(path: String)
  /// A database of a PostgreSQL server, and its URL without the password.
  case postgresql(ConnectionParameters, shown: String)

  /// Parses `sqlite:` and a path, or a URL of PostgreSQL with a host and a database.
  ///
  /// A path that SQLite does not treat as a file (`:memory:` or an empty path) is rejected because
  /// the data would not survive the process, and so is one with a host (`sqlite://host/file`).
  init?(_ text: String) {
    guard !text.utf8.contains(0) else { return nil }
    let scheme = "sqlite:"
    guard text.hasPrefix(scheme) else {
      guard let parameters = try? ConnectionParameters(url: text) else { return nil }
      self = .postgresql(parameters, shown: URLPassword.hidden(in: text))
      return
    }
    let path = String(text.dropFirst(scheme.count))
    guard !path.isEmpty, !path.hasPrefix(":") else { return nil }
    // SQLite has no hosts, and a text that resembles one may contain a password.
    if path.hasPrefix("//"), !path.hasPrefix("///") { return nil }
    self = .sqlite(path: path)
  }
}

extension DatabaseLocation: CustomStringConvertible, CustomReflectable {
  var description: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgresql(_, let shown): shown
    }
  }

  /// A mirror without children, so that no dump contains a password.
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension SocketAddress {
  /// Parses `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/enlist.sock`.
  init?(_ text: String) {
    let scheme = "unix:"
    if text.hasPrefix(scheme) {
      let path = String(text.dropFirst(scheme.count))
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .unix(path: path)
    } else if let address = HostAndPort(text) {
      self = .network(address)
    } else {
      return nil
    }
  }
}
