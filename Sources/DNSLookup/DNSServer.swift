internal import Networking

/// A recursive DNS server, by its IPv4 address and port.
package struct DNSServer: Hashable, Sendable, CustomStringConvertible {
  /// The address, with the first byte most significant.
  package let address: UInt32
  /// The port, 1 to 65535.
  package let port: UInt16

  /// Parses an address and an optional port, such as `127.0.0.1:53`; returns `nil` if the text is
  /// invalid.
  ///
  /// - Parameter text: The address, optionally followed by a colon and the port; the default is 53.
  package init?(_ text: String) {
    let endpoint = HostAndPort(text) ?? IPAddress(text).map { HostAndPort(host: $0, port: 53) }
    guard let endpoint, case .v4(let address) = endpoint.host, endpoint.port > 0 else { return nil }
    self.address = address
    port = endpoint.port
  }

  /// The address and the port, separated by a colon.
  package var description: String {
    HostAndPort(host: .v4(address), port: port).description
  }
}

/// The reason why a resolver cannot be made.
package enum DNSResolverError: Error, Hashable, Sendable {
  /// The C library could not initialize its resolver.
  case unavailable
}

extension DNSResolverError: CustomStringConvertible {
  /// The message for the operator.
  package var description: String { "cannot initialize the system's DNS resolver" }
}
