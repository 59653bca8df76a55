internal import Platform
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

/// The address at which the service accepts connections.
enum ListenAddress: Hashable, Sendable {
  case network(HostAndPort)
  /// A Unix domain socket in the file system.
  case unix(path: String)
  /// The socket that systemd passes to the service.
  case systemd

  /// Parses `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/enlist.sock` or `systemd`; `nil` if the text
  /// is invalid.
  init?(_ text: String) {
    let scheme = "unix:"
    if text == "systemd" {
      self = .systemd
    } else if text.hasPrefix(scheme) {
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

extension ListenAddress: CustomStringConvertible {
  /// The address in the setting's format.
  var description: String {
    switch self {
    case .network(let address): address.description
    case .unix(let path): "unix:\(path)"
    case .systemd: "systemd"
    }
  }
}

extension SocketAddress {
  /// Creates the address that reaches a service with the given listen address, or `nil` for
  /// systemd's socket.
  ///
  /// Only the service itself knows the address of systemd's socket. The loopback address replaces
  /// the unspecified address.
  init?(of listen: ListenAddress) {
    switch listen {
    case .network(let address): self = .network(address.reachableHere)
    case .unix(let path): self = .unix(path: path)
    case .systemd: return nil
    }
  }
}
