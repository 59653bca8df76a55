package import Glibc

/// An IP address; the one parser and printer of addresses in this package.
package enum IPAddress: Hashable, Sendable {
  /// An IPv4 address, with the first byte most significant.
  case v4(UInt32)
  /// An IPv6 address: its upper and lower 64 bits.
  case v6(UInt64, UInt64)

  /// Creates an address from its four or sixteen bytes in network order.
  package init?(bytes: [UInt8]) {
    switch bytes.count {
    case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      self = .v6(
        bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
        bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  init(_ address: in_addr) {
    self = .v4(UInt32(bigEndian: address.s_addr))
  }

  init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) { bytes in
      .v6(
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// Reads the IP address in a C structure; `nil` for any other address family.
  package init?(_ address: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }

  /// The IPv4 address of an IPv4-mapped address such as `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2),
  /// which a socket for both families reports; any other address itself.
  @inlinable
  package var unmapped: IPAddress {
    switch self {
    case .v4: self
    case .v6(let upper, let lower):
      upper == 0 && lower >> 32 == 0xFFFF ? .v4(UInt32(truncatingIfNeeded: lower)) : self
    }
  }

  /// Whether the address belongs to this machine: it is in 127.0.0.0/8, or is `::1`.
  @inlinable
  package var isLoopback: Bool {
    switch self {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let upper, let lower): upper == 0 && lower == 1
    }
  }

  /// Whether the address stands for all addresses of this machine: `0.0.0.0` or `::`.
  package var isUnspecified: Bool { self == .v4(0) || self == .v6(0, 0) }

  package var loopback: IPAddress {
    switch self {
    case .v4: .v4(0x7F00_0001)
    case .v6: .v6(0, 1)
    }
  }
}

// MARK: Text

extension IPAddress {
  /// The length of the longest text of an address in bytes, with the NUL that ends it in C.
  @usableFromInline static var maximumTextBytes: Int { 46 }

  /// Parses an address such as `192.0.2.1` or `2001:db8::1`, without port, brackets or zone; `nil`
  /// if the text is invalid.
  @inlinable
  package init?(_ text: some StringProtocol) {
    // Does not copy a long text, which a client may have sent.
    guard text.utf8.count <= Self.maximumTextBytes else { return nil }
    self.init(parsing: String(text))
  }

  @usableFromInline
  init?(parsing text: String) {
    guard !text.utf8.contains(0) else { return nil }
    if text.utf8.contains(UInt8(ascii: ":")) {
      var address = in6_addr()
      guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
      self.init(address)
    } else {
      var address = in_addr()
      guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
      self.init(address)
    }
  }

  /// The address without abbreviations: IPv4 in dotted decimal, IPv6 as eight groups of hexadecimal
  /// digits without leading zeros.
  package var unabbreviated: String {
    switch self {
    case .v4(let bits): Self.dotted(bits)
    case .v6(let upper, let lower):
      [upper, lower].flatMap { half in
        [48, 32, 16, 0].map { String(half >> UInt64($0) & 0xFFFF, radix: 16) }
      }
      .joined(separator: ":")
    }
  }

  /// Writes an IPv4 address digit by digit.
  ///
  /// Each sign-up stores one, and an interpolation would cost as much as reading its body.
  private static func dotted(_ bits: UInt32) -> String {
    String(unsafeUninitializedCapacity: 15) { buffer in
      var count = 0
      func write(_ byte: UInt32) {
        buffer[count] = UInt8(truncatingIfNeeded: byte)
        count += 1
      }
      for shift: UInt32 in stride(from: 24, through: 0, by: -8) {
        if shift < 24 { write(0x2E) }
        let number = bits >> shift & 255
        if number >= 100 { write(0x30 + number / 100) }
        if number >= 10 { write(0x30 + number / 10 % 10) }
        write(0x30 + number % 10)
      }
      return count
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address in its shortest form, such as `192.0.2.1` or `2001:db8::1`, without brackets.
  package var description: String {
    switch self {
    case .v4(let bits): return Self.dotted(bits)
    case .v6(let upper, let lower):
      var text = [CChar](repeating: 0, count: Self.maximumTextBytes)
      var bytes = (upper.bigEndian, lower.bigEndian)
      inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
      return String(cBuffer: text)
    }
  }
}

extension IPAddress {
  /// The IPv4 networks that are not part of the internet, each with its prefix length.
  private static let specialV4: [(network: UInt32, length: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
    (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
    (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
  ]

  /// Whether the address is globally reachable (RFC 6890): for IPv6, global unicast (2000::/3)
  /// except the documentation networks.
  package var isGloballyReachable: Bool {
    switch self {
    case .v4(let bits):
      return !Self.specialV4.contains { (bits ^ $0.network) >> (32 - $0.length) == 0 }
    case .v6(let upper, _):
      let isDocumentation = upper >> 32 == 0x2001_0DB8 || upper >> 52 == 0x3FF
      return upper >> 61 == 1 && !isDocumentation
    }
  }
}

/// A block of addresses that begin with the same bits (CIDR, RFC 4632).
package struct CIDRBlock: Hashable, Sendable {
  @usableFromInline let address: IPAddress
  @usableFromInline let prefixLength: Int

  /// Parses a block such as `10.0.0.0/8` or `2001:db8::/32`; `nil` if the text is invalid.
  ///
  /// An address without a length is a block of one address, and an IPv4-mapped address counts as
  /// IPv4. A block with bits after its prefix, such as `10.0.0.1/8`, is invalid, because either the
  /// address or the length could be the mistake.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0])?.unmapped else { return nil }
    let whole =
      switch address {
      case .v4: 32
      case .v6: 128
      }
    var prefixLength = whole
    if parts.count == 2 {
      let digits = parts[1].utf8
      guard digits.allSatisfy({ $0.isASCIIDigit }), let length = Int(parts[1]), length <= whole
      else { return nil }
      prefixLength = length
    }
    self.address = address
    self.prefixLength = prefixLength
    guard Self.first(prefixLength, of: address) == address else { return nil }
  }

  /// Returns whether the block contains an address; `false` for another address family.
  ///
  /// An IPv4-mapped address must be unmapped first.
  // Inlined, because each request of a proxy is checked against each block.
  @inlinable
  package func contains(_ other: IPAddress) -> Bool {
    Self.first(prefixLength, of: other) == address
  }

  /// Returns an address with all but its first `count` bits cleared.
  @inlinable
  static func first(_ count: Int, of address: IPAddress) -> IPAddress {
    // `<<` is a smart shift: shifting by the full width gives 0.
    switch address {
    case .v4(let bits): .v4(bits & (UInt32.max << (32 - count)))
    case .v6(let upper, let lower):
      .v6(upper & (UInt64.max << max(64 - count, 0)), lower & (UInt64.max << min(128 - count, 64)))
    }
  }
}
