internal import Platform

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

extension HostAndPort {
  /// `127.0.0.1:8080`, the default listen address.
  static let standard = HostAndPort(host: .v4(0x7F00_0001), port: 8080)
}
