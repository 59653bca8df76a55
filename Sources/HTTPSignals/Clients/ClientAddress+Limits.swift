internal import Platform

extension ClientAddress {
  /// The key under which every limit counts the client.
  ///
  /// The key is the IPv4 address, or the IPv6 /64, because a provider assigns a /64 to a single
  /// line. All unknown clients share one key.
  package var limitKey: ClientAddress {
    switch self {
    case .ip(.v6(let upper, _)): .v6(upper, 0)
    case .ip(.v4), .local, .unknown: self
    }
  }

  /// The limited networks of the client, each as its prefix bits.
  ///
  /// They range from the network of a single client to the widest one that a customer usually gets.
  /// All unknown clients share one network.
  // Inlined, because the limits of each request use it.
  @inlinable
  package var limitedNetworks: (narrow: UInt64, middle: UInt64?, wide: UInt64?) {
    switch self {
    case .ip(.v4(let address)):
      // In the range of IPv6 multicast addresses, which no client has.
      let bits = 0xFFFF_0000_0000_0000 | UInt64(address)
      return (bits, nil, bits & ~0xFF)
    case .ip(.v6(let upper, _)):
      return (upper, upper & ~0xFF, upper & ~0xFFFF)
    case .local, .unknown:
      return (.max, nil, nil)
    }
  }
}
