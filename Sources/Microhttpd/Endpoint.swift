/// Where a daemon listens.
package enum Endpoint: Hashable, Sendable {
  /// At an address, numeric and without brackets, and a port, where 0 lets the kernel choose.
  ///
  /// `::` is all addresses, those of IPv4 too.
  case network(host: String, port: UInt16)
  /// At a socket in the file system, which the owner and the group of the process may use.
  ///
  /// One that a process left behind that did not end well is replaced; it is removed when the daemon
  /// ends.
  case unix(path: String)
  /// At a socket that listens already; the daemon closes it.
  case inherited(descriptor: Int32)

  /// The port of an address; `nil` where there is none.
  package var port: UInt16? {
    switch self {
    case .network(_, let port): port
    case .unix, .inherited: nil
    }
  }
}

extension Endpoint: CustomStringConvertible {
  /// The address as it stands in a URL, or `unix:` and the path.
  package var description: String {
    switch self {
    case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .inherited(let descriptor): "descriptor \(descriptor)"
    }
  }
}
