/// A block of addresses (CIDR, RFC 4632): those that begin with the same bits.
package struct CIDRBlock: Hashable, Sendable {
  /// This machine: what ``ClientAddress/isLoopback`` is true for.
  package static let loopback = ["127.0.0.0/8", "::1", "unix"].compactMap { CIDRBlock($0) }

  private let address: ClientAddress
  private let prefixLength: Int

  /// Reads a network.
  ///
  /// - Parameter text: `10.0.0.0/8` or `2001:db8::/32`; an address alone is a network of one;
  ///   `unix` is all that comes through a Unix socket. None is a network with bits behind its
  ///   prefix, `10.0.0.1/8`: nobody can say whether the address or the length is the mistake.
  package init?(_ text: some StringProtocol) {
    guard text != "unix" else {
      address = .local
      prefixLength = 0
      return
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = ClientAddress(parts[0]) else { return nil }
    let whole =
      switch address {
      case .v4: 32
      case .v6: 128
      case .local, .unknown: 0
      }
    var prefixLength = whole
    if parts.count == 2 {
      let digits = parts[1].utf8
      guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1]),
        length <= whole
      else { return nil }
      prefixLength = length
    }
    self.address = address
    self.prefixLength = prefixLength
    guard Self.first(prefixLength, of: address) == address else { return nil }
  }

  /// Whether an address belongs to the network.
  ///
  /// - Parameter other: The address; one of another family never does.
  /// - Returns: Whether it begins with the same bits.
  package func contains(_ other: ClientAddress) -> Bool {
    Self.first(prefixLength, of: other) == address
  }

  /// An address of which only the first bits are left.
  private static func first(_ count: Int, of address: ClientAddress) -> ClientAddress {
    // A shift by all bits gives 0, which `>>` and `<<` promise for any count.
    switch address {
    case .v4(let bits): .v4(bits & (UInt32.max << (32 - count)))
    case .v6(let upper, let lower):
      .v6(upper & (UInt64.max << max(64 - count, 0)), lower & (UInt64.max << min(128 - count, 64)))
    case .local, .unknown: address
    }
  }
}
