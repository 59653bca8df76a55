internal import Platform

package struct DNSServer: Hashable, Sendable, CustomStringConvertible {
  /// The IPv4 address, with the first byte most significant.
  package let address: UInt32
  /// The port, 1 to 65535.
  package let port: UInt16

  /// Parses an address and an optional port, such as `127.0.0.1:53`; `nil` if the text is invalid.
  ///
  /// The default port is 53.
  package init?(_ text: String) {
    let endpoint = HostAndPort(text) ?? IPAddress(text).map { HostAndPort(host: $0, port: 53) }
    guard let endpoint, case .v4(let address) = endpoint.host, endpoint.port > 0 else { return nil }
    self.address = address
    port = endpoint.port
  }

  package var description: String {
    HostAndPort(host: .v4(address), port: port).description
  }
}

package enum DNSResolverError: Error, Hashable, Sendable {
  /// The C library could not initialize its resolver.
  case unavailable
}

extension DNSResolverError: CustomStringConvertible {
  package var description: String { "cannot initialize the system's DNS resolver" }
}
