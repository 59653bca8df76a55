internal import ASCII

/// A block of addresses that begin with the same bits (CIDR, RFC 4632).
package struct CIDRBlock: Hashable, Sendable {
  /// The blocks of all addresses for which ``ClientAddress/isLoopback`` is true.
  package static let loopback = ["127.0.0.0/8", "::1", "unix"].compactMap { CIDRBlock($0) }

  private let address: ClientAddress
  private let prefixLength: Int

  /// Parses a block; returns `nil` if the text is invalid.
  ///
  /// A block with bits after its prefix, such as `10.0.0.1/8`, is invalid, because either the
  /// address or the length could be the mistake.
  ///
  /// - Parameter text: `10.0.0.0/8` or `2001:db8::/32`; an address without a length, for a block of
  ///   that one address; or `unix`, for all clients that connect through a Unix socket.
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
      guard digits.allSatisfy({ $0.isASCIIDigit }), let length = Int(parts[1]),
        length <= whole
      else { return nil }
      prefixLength = length
    }
    self.address = address
    self.prefixLength = prefixLength
    guard Self.first(prefixLength, of: address) == address else { return nil }
  }

  /// Returns whether the block contains an address.
  ///
  /// - Parameter other: The address.
  /// - Returns: Whether the address begins with the same bits; `false` for another address family.
  package func contains(_ other: ClientAddress) -> Bool {
    Self.first(prefixLength, of: other) == address
  }

  /// Returns an address with all but its first `count` bits cleared.
  private static func first(_ count: Int, of address: ClientAddress) -> ClientAddress {
    // `<<` is a smart shift: shifting by the full width gives 0.
    switch address {
    case .v4(let bits): .v4(bits & (UInt32.max << (32 - count)))
    case .v6(let upper, let lower):
      .v6(upper & (UInt64.max << max(64 - count, 0)), lower & (UInt64.max << min(128 - count, 64)))
    case .local, .unknown: address
    }
  }
}
