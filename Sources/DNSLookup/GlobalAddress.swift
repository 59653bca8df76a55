/// A check for globally reachable addresses, based on the special-purpose registries of RFC 6890.
enum GlobalAddress {
  /// The IPv4 networks that are not part of the internet, each with its prefix length.
  ///
  /// The first byte of an address is the most significant.
  private static let specialV4: [(network: UInt32, length: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
    (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
    (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
  ]

  /// Returns whether the four bytes of an A record are a globally reachable address.
  static func isV4(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 4 else { return false }
    let address = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return !specialV4.contains { (address ^ $0.network) >> (32 - $0.length) == 0 }
  }

  /// Returns whether the sixteen bytes of an AAAA record are a globally reachable address: global
  /// unicast (2000::/3) except the documentation networks.
  static func isV6(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 16, bytes[0] >> 5 == 1 else { return false }
    let isDocumentation = bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
    return !isDocumentation && !(bytes[0] == 0x3F && bytes[1] >> 4 == 0xF)
  }
}
