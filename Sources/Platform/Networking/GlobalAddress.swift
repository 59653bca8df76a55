extension IPAddress {
  /// The IPv4 networks that are not part of the internet, each with its prefix length.
  private static let specialV4: [(network: UInt32, length: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
    (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
    (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
  ]

  /// Whether the address is globally reachable, based on the special-purpose registries of
  /// RFC 6890.
  ///
  /// For IPv6 that is global unicast (2000::/3) except the documentation networks.
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
