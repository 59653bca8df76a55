internal import HTTPTypes

/// The reverse proxies that are trusted to identify the client.
///
/// A proxy appends the address that it sees to `Forwarded` (RFC 7239) or `X-Forwarded-For`; the
/// client may have forged everything before that. The client is therefore the rightmost address
/// that is not a trusted proxy. The fields are used only if the peer of the connection is trusted,
/// and no remote client can connect from a loopback address.
package struct TrustedProxies: Sendable {
  private let networks: [ClientNetwork]

  /// Creates a list; an empty one trusts no proxy.
  package init(_ networks: [ClientNetwork] = []) {
    self.networks = networks
  }

  package func contains(_ address: ClientAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Identifies the client of a request.
  ///
  /// A proxy writes one of the two fields and passes the other through as the client sent it. The
  /// server does not know which one the proxy writes, so if a request has both, they must agree.
  ///
  /// - Returns: The source, whose client is the peer, unless the peer is a trusted proxy that names
  ///   a client. The client is `unknown` if the fields of a trusted proxy are malformed, hide the
  ///   client, contradict each other, or have more than 32 nodes to read.
  package func source(of peer: ClientAddress, _ fields: FieldList) -> RequestSource {
    guard contains(peer) else {
      let isProxy = peer.isInLocalRange && Self.isForwarded(fields)
      return RequestSource(client: peer, peer: isProxy ? .untrustedProxy : .client)
    }
    // A fast path for every request, since most have none of these fields.
    guard Self.isForwarded(fields) || fields.count(of: .xForwardedHost) > 0 else {
      return RequestSource(client: peer, peer: .trusted)
    }
    let forwarded = fields.values(of: .forwarded).joined(separator: ",")
    let elements = ForwardedField.elements(forwarded)
    return RequestSource(
      client: client(behind: peer, elements, forwarded: forwarded, fields), peer: .trusted,
      forwardedHost: host(in: elements ?? [], fields))
  }

  private static func isForwarded(_ fields: FieldList) -> Bool {
    fields.count(of: .forwarded) > 0 || fields.count(of: .xForwardedFor) > 0
  }

  private func client(
    behind peer: ClientAddress, _ elements: [ForwardedField.Element]?, forwarded: String,
    _ fields: FieldList
  ) -> ClientAddress {
    let forwardedFor = fields.values(of: .xForwardedFor)
    // An element may say only how the proxy was reached.
    let namesNobody = forwarded.isEmpty || elements?.allSatisfy { $0.node == nil } == true
    switch (namesNobody, forwardedFor.allSatisfy(\.isEmpty)) {
    case (true, true): return elements?.isEmpty == true ? peer : .unknown
    case (false, true): return client(in: elements, from: peer)
    case (true, false): return client(forwardedFor: forwardedFor, from: peer)
    case (false, false):
      let client = client(in: elements, from: peer)
      return client == self.client(forwardedFor: forwardedFor, from: peer) ? client : .unknown
    }
  }

  /// Returns the rightmost node that is not a trusted proxy; the leftmost node if all of them are.
  private func client(
    in elements: [ForwardedField.Element]?, from peer: ClientAddress
  ) -> ClientAddress {
    guard let elements else { return .unknown }
    let nodes = elements.map { $0.node ?? .unknown }
    return nodes.last { !contains($0) } ?? nodes.first ?? peer
  }

  /// Returns the same for `X-Forwarded-For`, which is read from its end, so entries that the client
  /// has forged in front of the proxy's are ignored.
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

  /// Returns the host that the client requested from the first trusted proxy; an empty string if
  /// `Forwarded` and `X-Forwarded-Host` contradict each other.
  ///
  /// The first trusted proxy wrote the client's element; the proxies after it wrote those to its
  /// right.
  private func host(in elements: [ForwardedField.Element], _ fields: FieldList) -> String? {
    let client = elements.lastIndex { !contains($0.node ?? .unknown) } ?? elements.startIndex
    let forwarded = elements[client...].lazy.compactMap(\.host).first
    // Of several hosts, the last one comes from the nearest proxy.
    let host = fields.values(of: .xForwardedHost).last
      .flatMap { value in
        value.utf8.split(separator: UInt8(ascii: ",")).last.map { Substring($0) }
      }
      .map { String(Substring($0.utf8.trimmed)) }
    guard let forwarded, let host else { return forwarded ?? host }
    return forwarded.lowercased() == host.lowercased() ? forwarded : ""
  }
}

/// The client that sent a request, and how the service identified it.
package struct RequestSource: Hashable, Sendable {
  /// The kind of program at the other end of the connection.
  package enum Peer: Hashable, Sendable {
    /// The client itself, as far as the service can know; its forwarding fields are ignored.
    case client
    /// A trusted proxy, or a program at a trusted address; its forwarding fields are used.
    case trusted
    /// A program in a local range that sends forwarding fields but is not trusted.
    ///
    /// It is most likely a proxy that the operator forgot to list, so many clients share its
    /// address.
    case untrustedProxy
  }

  package let client: ClientAddress
  package let peer: Peer
  /// The host that the client requested from a trusted proxy.
  ///
  /// It is `nil` if no trusted proxy names a host, and empty if the proxy contradicts itself.
  package let forwardedHost: String?

  package init(client: ClientAddress, peer: Peer = .client, forwardedHost: String? = nil) {
    self.client = client
    self.peer = peer
    self.forwardedHost = forwardedHost
  }

  /// The client to which limits apply; `nil` if no limits apply.
  ///
  /// Limits do not apply to this machine, nor behind an untrusted proxy, where all clients of the
  /// proxy would share one limit.
  package var limitedClient: ClientAddress? {
    peer == .untrustedProxy || client.isLoopback ? nil : client
  }
}
