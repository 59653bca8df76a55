/// A recursive DNS server, by its IPv4 address and port.
package struct DNSServer: Hashable, Sendable, CustomStringConvertible {
  /// The address, first byte highest.
  package let address: UInt32
  /// The port, 1 to 65535.
  package let port: UInt16

  /// Reads `127.0.0.1:53`; without a port it is 53.
  ///
  /// - Parameter text: The address, and the port after a colon.
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

  package var description: String {
    let bytes = [24, 16, 8, 0].map { String(address >> UInt32($0) & 255) }
    return "\(bytes.joined(separator: ".")):\(port)"
  }
}

/// Why nothing can be looked up.
package enum DNSResolverError: Error, Hashable, Sendable {
  /// The resolver of the C library could not be made.
  case unavailable
}

extension DNSResolverError: CustomStringConvertible {
  package var description: String { "the system's resolver cannot be used" }
}
