package import Platform

/// The network address of a client, without its port.
package enum ClientAddress: Hashable, Sendable {
  /// An IP address; never an IPv4-mapped one, so that a client has one address.
  case ip(IPAddress)
  /// A program on this machine that is connected through a Unix socket.
  case local
  /// A client behind a proxy that does not identify it.
  case unknown

  package static func v4(_ bits: UInt32) -> ClientAddress { .ip(.v4(bits)) }

  package static func v6(_ upper: UInt64, _ lower: UInt64) -> ClientAddress {
    .ip(.v6(upper, lower))
  }

  package init(_ address: IPAddress) { self = .ip(address.unmapped) }

  /// Parses an address such as `192.0.2.1` or `2001:db8::1`, without port, brackets or zone.
  package init?(_ text: some StringProtocol) {
    guard let address = IPAddress(text) else { return nil }
    self.init(address)
  }

  /// Whether the client runs on this machine, and is therefore exempt from limits: a Unix socket,
  /// 127.0.0.0/8, or `::1`.
  package var isLoopback: Bool {
    switch self {
    case .ip(let address): address.isLoopback
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
    case .ip(.v4(let address)):
      address >> 24 == 127 || address >> 24 == 10 || address >> 20 == 0xAC1
        || address >> 16 == 0xC0A8 || address >> 16 == 0xA9FE
    case .ip(.v6(let upper, _)): isLoopback || upper >> 57 == 0x7E || upper >> 54 == 0x3FA
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
    case .ip(.v4(let address)): .v4(address & 0xFFFF_FF00)
    case .ip(.v6(let upper, _)): .v6(upper & 0xFFFF_FFFF_FFFF_0000, 0)
    case .local, .unknown: self
    }
  }

  /// The address as text, see ``IPAddress/unabbreviated``; `nil` for `local` and `unknown`.
  package var text: String? {
    switch self {
    case .ip(let address): address.unabbreviated
    case .local, .unknown: nil
    }
  }

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

/// A set of clients in the operator's settings: a block of addresses, or all Unix sockets.
package enum ClientNetwork: Hashable, Sendable {
  case block(CIDRBlock)
  case unix

  /// The networks of all addresses for which ``ClientAddress/isLoopback`` is true.
  package static let loopback = ["127.0.0.0/8", "::1", "unix"].compactMap { ClientNetwork($0) }

  /// Parses a block such as `10.0.0.0/8`, `2001:db8::/32` or `192.0.2.1`, or `unix`.
  package init?(_ text: some StringProtocol) {
    if text == "unix" {
      self = .unix
    } else if let block = CIDRBlock(text) {
      self = .block(block)
    } else {
      return nil
    }
  }

  package func contains(_ client: ClientAddress) -> Bool {
    switch (self, client) {
    case (.block(let block), .ip(let address)): block.contains(address)
    case (.unix, .local): true
    case (.block, .local), (.block, .unknown), (.unix, .ip), (.unix, .unknown): false
    }
  }
}
