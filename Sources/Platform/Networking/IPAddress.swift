internal import Glibc

/// An IP address; the one parser and printer of addresses in this package.
package enum IPAddress: Hashable, Sendable {
  /// An IPv4 address, with the first byte most significant.
  case v4(UInt32)
  /// An IPv6 address: its upper and lower 64 bits.
  case v6(UInt64, UInt64)

  /// Creates an address from its bytes in network order: four for IPv4, sixteen for IPv6; `nil` for
  /// any other number.
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

  /// Creates an address from the C type `in_addr`.
  init(_ address: in_addr) {
    self = .v4(UInt32(bigEndian: address.s_addr))
  }

  /// Creates an address from the C type `in6_addr`.
  init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) { bytes in
      .v6(
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
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

  /// The loopback address of the same family.
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

  /// Parses an address; the corresponding C function is `inet_pton`.
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
  ///
  /// The corresponding C function is `inet_ntop`.
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
