internal import PostgreSQLStorage

/// The location of the database that stores the list.
enum DatabaseLocation: Hashable, Sendable {
  /// A SQLite file.
  case sqlite(path: String)
  /// A database of a PostgreSQL server, and its URL without the password.
  case postgresql(ConnectionParameters, shown: String)

  /// Parses `sqlite:` and a path, or a URL of PostgreSQL with a host and a database; `nil` if the
  /// text is invalid.
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
  /// The location in the setting's format; `***` stands for a password.
  var description: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgresql(_, let shown): shown
    }
  }

  /// A mirror without children, so that no dump contains a password.
  var customMirror: Mirror { Mirror(self, children: []) }
}
