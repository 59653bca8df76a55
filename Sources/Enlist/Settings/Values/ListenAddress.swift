/// Where connections are accepted.
enum ListenAddress: Hashable, Sendable {
  /// At an address and a port.
  case network(HostAndPort)
  /// At a socket in the file system.
  case unix(path: String)
  /// At the socket that systemd has passed on.
  case systemd

  /// Reads an address.
  ///
  /// - Parameter text: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/enlist.sock` or `systemd`; anything
  ///   else is none.
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
  /// The address as the setting has it.
  var description: String {
    switch self {
    case .network(let address): address.description
    case .unix(let path): "unix:\(path)"
    case .systemd: "systemd"
    }
  }
}
