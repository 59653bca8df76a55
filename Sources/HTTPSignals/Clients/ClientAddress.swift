package import Glibc

/// The network address of a client, without its port.
package enum ClientAddress: Hashable, Sendable {
  /// An IPv4 address, with the first byte most significant.
  case v4(UInt32)
  /// An IPv6 address: its upper and lower 64 bits.
  case v6(UInt64, UInt64)
  /// A program on this machine that is connected through a Unix socket.
  case local
  /// A client behind a proxy that does not identify it.
  case unknown

  /// Makes an address from 128 bits.
  ///
  /// An IPv4-mapped address such as `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2), which a socket for both
  /// families reports, becomes the IPv4 address.
  ///
  /// - Parameters:
  ///   - upper: The upper 64 bits.
  ///   - lower: The lower 64 bits.
  package init(upper: UInt64, lower: UInt64) {
    if upper == 0, lower >> 32 == 0xFFFF {
      self = .v4(UInt32(truncatingIfNeeded: lower))
    } else {
      self = .v6(upper, lower)
    }
  }

  /// Makes an address from the C type `in6_addr`.
  ///
  /// - Parameter bytes: The sixteen bytes.
  package init(_ bytes: in6_addr) {
    self = withUnsafeBytes(of: bytes) { bytes in
      ClientAddress(
        upper: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        lower: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  /// Parses an address; returns `nil` if the text is invalid.
  ///
  /// The corresponding C function is `inet_pton`.
  ///
  /// - Parameter text: `192.0.2.1` or `2001:db8::1`, without port, brackets or zone.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Int(INET6_ADDRSTRLEN), !text.utf8.contains(0) else { return nil }
    if text.utf8.contains(UInt8(ascii: ":")) {
      var bytes = in6_addr()
      guard inet_pton(AF_INET6, String(text), &bytes) == 1 else { return nil }
      self.init(bytes)
    } else {
      var bytes = in_addr()
      guard inet_pton(AF_INET, String(text), &bytes) == 1 else { return nil }
      self = .v4(UInt32(bigEndian: bytes.s_addr))
    }
  }

  /// The key under which every limit counts the client.
  ///
  /// The key is the IPv4 address, or the IPv6 /64, because a provider assigns a /64 to a single
  /// line. All unknown clients share one key.
  package var limitKey: ClientAddress {
    switch self {
    case .v6(let upper, _): .v6(upper, 0)
    case .v4, .local, .unknown: self
    }
  }

  /// Whether the client runs on this machine, and is therefore exempt from limits.
  ///
  /// This is true for a Unix socket, 127.0.0.0/8, and `::1`.
  package var isLoopback: Bool {
    switch self {
    case .v4(let address): address >> 24 == 127
    case .v6(let upper, let lower): upper == 0 && lower == 1
    case .local: true
    case .unknown: false
    }
  }

  /// Whether the address could be that of the operator's own proxy.
  ///
  /// This is true for a Unix socket, and for an address in a loopback, private (RFC 1918, RFC 4193)
  /// or link-local (RFC 3927, RFC 4291 §2.5.6) range, which no client on the internet has.
  package var isInLocalRange: Bool {
    switch self {
    case .v4(let address):
      address >> 24 == 127 || address >> 24 == 10 || address >> 20 == 0xAC1
        || address >> 16 == 0xC0A8 || address >> 16 == 0xA9FE
    case .v6(let upper, _): isLoopback || upper >> 57 == 0x7E || upper >> 54 == 0x3FA
    case .local: true
    case .unknown: false
    }
  }

  /// The network of the address: its /24 for IPv4, its /48 for IPv6.
  ///
  /// By default this is stored with a consent, because it locates a client without identifying a
  /// person.
  package var network: ClientAddress {
    switch self {
    case .v4(let address): .v4(address & 0xFFFF_FF00)
    case .v6(let upper, _): .v6(upper & 0xFFFF_FFFF_FFFF_0000, 0)
    case .local, .unknown: self
    }
  }

  /// The address as text; `nil` for `local` and `unknown`.
  ///
  /// IPv4 is written in dotted decimal, IPv6 as eight groups of hexadecimal digits without leading
  /// zeros.
  package var text: String? {
    switch self {
    case .v4(let address): Self.dotted(address)
    case .v6(let upper, let lower):
      [upper, lower].flatMap { half in
        [48, 32, 16, 0].map { String(half >> UInt64($0) & 0xFFFF, radix: 16) }
      }
      .joined(separator: ":")
    case .local, .unknown: nil
    }
  }

  /// Writes an IPv4 address digit by digit.
  ///
  /// Each sign-up stores one, and an interpolation would cost as much as reading its body.
  private static func dotted(_ address: UInt32) -> String {
    String(unsafeUninitializedCapacity: 15) { buffer in
      var count = 0
      func write(_ byte: UInt32) {
        buffer[count] = UInt8(truncatingIfNeeded: byte)
        count += 1
      }
      for shift: UInt32 in stride(from: 24, through: 0, by: -8) {
        if shift < 24 { write(0x2E) }
        let number = address >> shift & 255
        if number >= 100 { write(0x30 + number / 100) }
        if number >= 10 { write(0x30 + number / 10 % 10) }
        write(0x30 + number % 10)
      }
      return count
    }
  }
}
