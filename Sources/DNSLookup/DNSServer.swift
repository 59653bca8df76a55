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
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let bytes = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    guard parts.count <= 2, bytes.count == 4 else { return nil }
    var address: UInt32 = 0
    for byte in bytes {
      guard let byte else { return nil }
      address = address << 8 | UInt32(byte)
    }
    guard let port = parts.count == 2 ? UInt16(parts[1]) : 53, port > 0 else { return nil }
    self.address = address
    self.port = port
  }

  /// The address and the port, separated by a colon.
  package var description: String {
    let bytes = [24, 16, 8, 0].map { String(address >> UInt32($0) & 255) }
    return "\(bytes.joined(separator: ".")):\(port)"
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
