internal import Glibc

/// The address of a service on this machine.
enum SocketAddress: Hashable, Sendable {
  /// An IP address and a port.
  case network(HostAndPort)
  /// A Unix domain socket in the file system.
  case unix(path: String)

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

  /// The address family.
  var family: Int32 {
    switch self {
    case .network(let address):
      switch address.host {
      case .v4: AF_INET
      case .v6: AF_INET6
      }
    case .unix: AF_UNIX
    }
  }

  /// The value of the `Host` header field; a Unix domain socket has no host name of its own.
  var host: String {
    switch self {
    case .network(let address): address.description
    case .unix: "localhost"
    }
  }

  /// Calls a closure with the address as a C structure.
  ///
  /// The corresponding C type is `sockaddr`.
  ///
  /// - Parameter body: Receives the address and its length in bytes; the pointer is valid only for
  ///   the duration of the call.
  /// - Returns: The result of `body`.
  func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    switch self {
    case .network(let address):
      return address.withSocketAddress(body)
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      // A truncated path fails to connect, since no service can listen at a path this long.
      withUnsafeMutableBytes(of: &address.sun_path) { buffer in
        buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
      }
      return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  var description: String {
    switch self {
    case .network(let address): address.description
    case .unix(let path): "unix:\(path)"
    }
  }
}
