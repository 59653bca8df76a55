internal import Networking

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

  /// The value of the `Host` header field, also for a Unix domain socket, which has no host name.
  var host: String {
    switch self {
    case .network(let address): address.description
    case .unix: "localhost"
    }
  }
}
