/// The address, or the socket, on which a daemon listens.
package enum Endpoint: Hashable, Sendable {
  /// A numeric address without brackets, and a port; port 0 lets the kernel choose one.
  ///
  /// `::` stands for all IPv4 and IPv6 addresses.
  case network(host: String, port: UInt16)
  /// A socket in the file system that the owner and the group of the process may use.
  ///
  /// A stale socket, left behind by a process that crashed, is replaced. The daemon removes its
  /// socket when it ends.
  case unix(path: String)
  /// A socket that is already listening; the daemon closes it.
  case inherited(descriptor: Int32)

  /// The port of a network endpoint; `nil` for any other endpoint.
  package var port: UInt16? {
    switch self {
    case .network(_, let port): port
    case .unix, .inherited: nil
    }
  }
}

extension Endpoint: CustomStringConvertible {
  /// The address and the port as in a URL, `unix:` and the path, or the number of the descriptor.
  package var description: String {
    switch self {
    case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .inherited(let descriptor): "descriptor \(descriptor)"
    }
  }
}
