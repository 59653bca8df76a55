/// The proxies in front of the server, whose word on who the client is counts.
///
/// A proxy adds the address that it sees to the end of `Forwarded` (RFC 7239) or
/// `X-Forwarded-For`; what stands before may be the client's own invention. So the client is the
/// rightmost address that is not a trusted proxy's.
package struct TrustedProxies: Sendable {
  private let networks: [AddressNetwork]

  /// Makes a list.
  ///
  /// - Parameter networks: Where the proxies are; nobody is trusted without one.
  package init(_ networks: [AddressNetwork] = []) {
    self.networks = networks
  }

  /// Whether an address is a proxy's.
  ///
  /// - Parameter address: The address.
  /// - Returns: Whether one of the networks has it.
  package func contains(_ address: ClientAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Who sent a request.
  ///
  /// A proxy writes one of the two fields and passes the other one on as the client sent it. Which
  /// one it writes is not known, so where both are given they have to agree.
  ///
  /// - Parameters:
  ///   - peer: Who is at the other end of the connection.
  ///   - fields: The fields of the request.
  /// - Returns: The peer, unless it is a trusted proxy that names somebody; `unknown` when what it
  ///   says cannot be read, hides the client, or contradicts itself.
  package func client(
    behind peer: ClientAddress,
    _ fields: NameValuePairs
  ) -> ClientAddress {
    guard contains(peer) else { return peer }
    let forwarded = fields.values(of: "forwarded").joined(separator: ",")
    let forwardedFor = fields.values(of: "x-forwarded-for").joined(separator: ",")
    switch (forwarded.isEmpty, forwardedFor.isEmpty) {
    case (true, true): return peer
    case (false, true): return client(in: ForwardedField.nodes(forwarded), from: peer)
    case (true, false):
      return client(in: ForwardedField.nodes(forFieldOf: forwardedFor), from: peer)
    case (false, false):
      let client = client(in: ForwardedField.nodes(forwarded), from: peer)
      let other = self.client(in: ForwardedField.nodes(forFieldOf: forwardedFor), from: peer)
      return client == other ? client : .unknown
    }
  }

  /// The rightmost that is no proxy; the leftmost when all are.
  private func client(in nodes: [ClientAddress]?, from peer: ClientAddress) -> ClientAddress {
    guard let nodes else { return .unknown }
    return nodes.last { !contains($0) } ?? nodes.first ?? peer
  }
}
