package import Platform

/// A set of clients in the operator's settings: a block of addresses, or all Unix sockets.
package enum ClientNetwork: Hashable, Sendable {
  /// The clients whose address is in a block.
  case block(CIDRBlock)
  /// The clients that connect through a Unix socket.
  case unix

  /// The networks of all addresses for which ``ClientAddress/isLoopback`` is true.
  package static let loopback = ["127.0.0.0/8", "::1", "unix"].compactMap { ClientNetwork($0) }

  /// Parses a block such as `10.0.0.0/8`, `2001:db8::/32` or `192.0.2.1`, or `unix`; `nil` if the
  /// text is invalid.
  package init?(_ text: some StringProtocol) {
    if text == "unix" {
      self = .unix
    } else if let block = CIDRBlock(text) {
      self = .block(block)
    } else {
      return nil
    }
  }

  /// Returns whether the network contains a client; `false` for an unknown client.
  package func contains(_ client: ClientAddress) -> Bool {
    switch (self, client) {
    case (.block(let block), .ip(let address)): block.contains(address)
    case (.unix, .local): true
    case (.block, .local), (.block, .unknown), (.unix, .ip), (.unix, .unknown): false
    }
  }
}
