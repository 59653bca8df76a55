internal import Networking

extension SocketAddress {
  /// Makes the address that reaches a service with the given listen address.
  ///
  /// Returns `nil` for systemd's socket, whose address only the service itself knows.
  ///
  /// - Parameter listen: The listen address; the loopback address replaces the unspecified address.
  init?(of listen: ListenAddress) {
    switch listen {
    case .network(let address): self = .network(address.reachableHere)
    case .unix(let path): self = .unix(path: path)
    case .systemd: return nil
    }
  }

  /// The value of the `Host` header field; a Unix domain socket has no host name of its own.
  var host: String {
    switch self {
    case .network(let address): address.description
    case .unix: "localhost"
    }
  }
}
