internal import Glibc

/// Where a service of this machine can be asked.
enum SocketAddress: Hashable, Sendable {
  /// At an address and a port.
  case network(HostAndPort)
  /// At a socket in the file system.
  case unix(path: String)

  /// Where the service is reached that listens at an address.
  ///
  /// - Parameter listen: The address; all of them means the loopback address. `nil` for the socket of
  ///   systemd, which only the service itself is told.
  init?(of listen: ListenAddress) {
    switch listen {
    case .network(let address): self = .network(address.reachableHere)
    case .unix(let path): self = .unix(path: path)
    case .systemd: return nil
    }
  }

  /// The family of its sockets.
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

  /// What `Host` says: a socket in the file system has no name there.
  var host: String {
    switch self {
    case .network(let address): address.description
    case .unix: "localhost"
    }
  }

  /// Lends the address as C knows it; the corresponding C type is `sockaddr`.
  ///
  /// - Parameter body: Receives the address and its length in bytes, for as long as it runs.
  /// - Returns: What `body` returns.
  func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    switch self {
    case .network(let address):
      return address.withSocketAddress(body)
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      // A name that is too long is one that nobody listens at.
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
