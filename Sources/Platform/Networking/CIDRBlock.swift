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
      guard digits.allSatisfy({ $0.isASCIIDigit }), let length = Int(parts[1]),
        length <= whole
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
