/// The network address of a client, without its port.
package enum ClientAddress: Hashable, Sendable {
  /// An IPv4 address: four octets, most significant first.
  case v4(UInt32)
  /// An IPv6 address: its upper and lower 64 bits.
  case v6(UInt64, UInt64)
  /// A local socket, or unknown.
  case none

  /// The network that the address belongs to: its /24, or /48 with IPv6.
  ///
  /// What is kept with a consent by default, since it tells a place without telling a person.
  package var network: ClientAddress {
    switch self {
    case .v4(let address): .v4(address & 0xFFFF_FF00)
    case .v6(let upper, _): .v6(upper & 0xFFFF_FFFF_FFFF_0000, 0)
    case .none: .none
    }
  }

  /// The address as text: dotted, or eight groups of hexadecimal digits without leading zeros.
  package var text: String? {
    switch self {
    case .v4(let address):
      "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
    case .v6(let upper, let lower):
      [upper, lower].flatMap { half in
        [48, 32, 16, 0].map { String(half >> UInt64($0) & 0xFFFF, radix: 16) }
      }
      .joined(separator: ":")
    case .none: nil
    }
  }
}
