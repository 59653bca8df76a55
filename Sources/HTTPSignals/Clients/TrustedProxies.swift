/// The proxies in front of the server, whose word on who the client is counts.
///
/// A proxy adds the address that it sees to the end of `Forwarded` (RFC 7239) or
/// `X-Forwarded-For`; what stands before may be the client's own invention. So the client is the
/// rightmost address that is not a trusted proxy's. Only the peer of the connection can make these
/// fields count, and no remote client can choose to have a loopback address there.
package struct TrustedProxies: Sendable {
  private let networks: [CIDRBlock]

  /// Makes a list.
  ///
  /// - Parameter networks: Where the proxies are; nobody is trusted without one.
  package init(_ networks: [CIDRBlock] = []) {
    self.networks = networks
  }

  /// Whether an address is a proxy's.
  ///
  /// - Parameter address: The address.
  /// - Returns: Whether one of the networks has it.
  package func contains(_ address: ClientAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Finds out who sent a request.
  ///
  /// A proxy writes one of the two fields and passes the other one on as the client sent it. Which
  /// one it writes is not known, so where both are given they have to agree.
  ///
  /// - Parameters:
  ///   - peer: Who is at the other end of the connection.
  ///   - fields: The fields of the request.
  /// - Returns: The source. Its client is the peer, unless that is a trusted proxy that names
  ///   somebody; `unknown` when what the proxy says cannot be read, hides the client, contradicts
  ///   itself, or goes on for more than 32 nodes.
  package func source(
    of peer: ClientAddress,
    _ fields: FieldList
  ) -> RequestSource {
    guard contains(peer) else {
      let isProxy = peer.isInLocalRange && Self.isForwarded(fields)
      return RequestSource(client: peer, peer: isProxy ? .untrustedProxy : .client)
    }
    // Most requests carry none of these fields, and this is asked of every one.
    guard Self.isForwarded(fields) || fields.count(of: "x-forwarded-host") > 0 else {
      return RequestSource(client: peer, peer: .trusted)
    }
    let forwarded = fields.values(of: "forwarded").joined(separator: ",")
    let elements = ForwardedField.elements(forwarded)
    return RequestSource(
      client: client(behind: peer, elements, forwarded: forwarded, fields),
      peer: .trusted,
      forwardedHost: host(in: elements ?? [], fields)
    )
  }

  private static func isForwarded(_ fields: FieldList) -> Bool {
    fields.count(of: "forwarded") > 0 || fields.count(of: "x-forwarded-for") > 0
  }

  private func client(
    behind peer: ClientAddress,
    _ elements: [ForwardedField.Element]?,
    forwarded: String,
    _ fields: FieldList
  ) -> ClientAddress {
    let forwardedFor = fields.values(of: "x-forwarded-for")
    switch (forwarded.isEmpty, forwardedFor.allSatisfy(\.isEmpty)) {
    case (true, true): return peer
    case (false, true): return client(in: elements, from: peer)
    case (true, false): return client(forwardedFor: forwardedFor, from: peer)
    case (false, false):
      let client = client(in: elements, from: peer)
      return client == self.client(forwardedFor: forwardedFor, from: peer) ? client : .unknown
    }
  }

  /// The rightmost that is no proxy; the leftmost when all are.
  private func client(
    in elements: [ForwardedField.Element]?,
    from peer: ClientAddress
  ) -> ClientAddress {
    guard let elements else { return .unknown }
    return elements.last { !contains($0.node) }?.node ?? elements.first?.node ?? peer
  }

  /// The same of `X-Forwarded-For`, read from its end: what a client puts before does not matter.
  private func client(forwardedFor values: [String], from peer: ClientAddress) -> ClientAddress {
    var count = 0
    var leftmost: ClientAddress?
    for value in values.reversed() {
      var rest = value[...]
      while true {
        count += 1
        guard count <= ForwardedField.maximumCount else { return .unknown }
        let comma = rest.utf8.lastIndex(of: UInt8(ascii: ","))
        let part = comma.map { rest[rest.utf8.index(after: $0)...] } ?? rest
        if let node = ForwardedField.node(in: part) {
          guard contains(node) else { return node }
          leftmost = node
        }
        guard let comma else { break }
        rest = rest[..<comma]
      }
    }
    return leftmost ?? peer
  }

  /// The host that the first trusted proxy was asked for; empty where the two fields that can say so
  /// contradict each other.
  ///
  /// The first trusted proxy wrote the element of the client, and others, to its right, what follows.
  private func host(in elements: [ForwardedField.Element], _ fields: FieldList) -> String? {
    let client = elements.lastIndex { !contains($0.node) } ?? elements.startIndex
    let forwarded = elements[client...].lazy.compactMap(\.host).first
    // Where there are several, the last one is that of the nearest proxy.
    let host = fields.values(of: "x-forwarded-host").last
      .flatMap { value in
        value.utf8.split(separator: UInt8(ascii: ",")).last.map { Substring($0) }
      }
      .map { String(ForwardedField.trimmed($0)) }
    guard let forwarded, let host else { return forwarded ?? host }
    return forwarded.lowercased() == host.lowercased() ? forwarded : ""
  }
}
