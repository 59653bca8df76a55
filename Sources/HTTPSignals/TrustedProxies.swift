internal import HTTPTypes

/// The reverse proxies that are trusted to identify the client.
///
/// A proxy appends the address that it sees to `Forwarded` (RFC 7239) or `X-Forwarded-For`; the
/// client may have forged everything before that. The client is therefore the rightmost address
/// that is not a trusted proxy. The fields are used only if the peer of the connection is trusted,
/// and no remote client can connect from a loopback address.
package struct TrustedProxies: Sendable {
  private let networks: [ClientNetwork]

  package init(_ networks: [ClientNetwork] = []) { self.networks = networks }

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

/// A strict parser of the fields in which proxies identify their clients.
///
/// A client may start the field with anything, for example an opening quotation mark that would
/// make the proxy's entry part of a quoted string. A lenient parser would read that string.
enum ForwardedField {
  /// The maximum number of nodes, and of pairs in each node.
  ///
  /// No deployment has more proxies, and an attacker's list must not cost more than a real one.
  static let maximumCount = 32

  /// One element of `Forwarded`, written by one proxy.
  struct Element {
    /// The address that sent the request to the proxy; `unknown` if the proxy hides it, and `nil` if
    /// it omits it.
    var node: ClientAddress?
    /// The host that was requested from the proxy.
    var host: String?
  }

  /// Parses `Forwarded` (RFC 7239 §4), for example `for=192.0.2.1;proto=https,
  /// for="[2001:db8::1]:4711"`.
  ///
  /// - Returns: The elements in their order; `nil` if the text is malformed or has too many
  ///   elements.
  static func elements(_ text: String) -> [Element]? {
    var reader = Reader(rest: Array(text.utf8)[...])
    var elements: [Element] = []
    var count = 0
    repeat {
      count += 1
      guard count <= maximumCount else { return nil }
      reader.skipWhiteSpace()
      // Empty list elements are ignored (RFC 9110 §5.6.1).
      if reader.rest.isEmpty || reader.rest.first == UInt8(ascii: ",") { continue }
      guard let element = reader.readElement() else { return nil }
      elements.append(element)
    } while reader.take(UInt8(ascii: ","))
    return reader.rest.isEmpty ? elements : nil
  }

  /// Parses one element of `X-Forwarded-For`, which no standard specifies; some proxies add a port.
  ///
  /// - Returns: The node; `unknown` for an invalid address; `nil` for white space only.
  static func node(in text: Substring) -> ClientAddress? {
    let text = Substring(text.utf8.trimmed)
    return text.isEmpty ? nil : node(text)
  }

  /// Parses a node (RFC 7239 §6), with or without a port.
  private static func node(_ text: Substring) -> ClientAddress {
    // In X-Forwarded-For, an IPv6 address without a port has no brackets.
    if let address = ClientAddress(text) { return address }
    let bytes = text.utf8
    if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
      let host = text[bytes.index(after: bytes.startIndex)..<end]
      guard host.utf8.contains(UInt8(ascii: ":")), isPort(text[bytes.index(after: end)...]) else {
        return .unknown
      }
      return ClientAddress(host) ?? .unknown
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isPort(text[colon...]) else {
      return .unknown
    }
    return ClientAddress(text[..<colon]) ?? .unknown
  }

  /// Returns whether a text is empty, or a colon and a port, which may be obfuscated (RFC 7239
  /// §6.1).
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.utf8.first == UInt8(ascii: ":") && (2...16).contains(text.utf8.count)
  }

  /// A reader of the elements of `Forwarded`, which consumes bytes from the front.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    /// Reads the pairs up to the next comma; `for` and `host` may each occur once.
    mutating func readElement() -> Element? {
      var node: ClientAddress?
      var host: String?
      var count = 0
      repeat {
        count += 1
        guard count <= ForwardedField.maximumCount else { return nil }
        skipWhiteSpace()
        let name = readToken()
        guard !name.isEmpty, take(UInt8(ascii: "=")), let value = readValue() else { return nil }
        if Self.isName(name, "for") {
          guard node == nil else { return nil }
          node = ForwardedField.node(value[...])
        } else if Self.isName(name, "host") {
          guard host == nil else { return nil }
          host = value
        }
        skipWhiteSpace()
      } while take(UInt8(ascii: ";"))
      return Element(node: node, host: host)
    }

    private static func isName(_ token: ArraySlice<UInt8>, _ name: StaticString) -> Bool {
      token.count == name.utf8CodeUnitCount
        && name.withUTF8Buffer { name in token.elementsEqual(name) { $0 | 0x20 == $1 } }
    }

    private mutating func readToken() -> ArraySlice<UInt8> {
      let token = rest.prefix(while: FieldList.isTokenByte)
      rest = rest[token.endIndex...]
      return token
    }

    /// Reads a token or a quoted string (RFC 9110 §5.6.4).
    private mutating func readValue() -> String? {
      guard take(UInt8(ascii: "\"")) else {
        // Some proxies omit the quotation marks that colons and brackets require.
        let value = rest.prefix {
          FieldList.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[")
            || $0 == UInt8(ascii: "]")
        }
        rest = rest[value.endIndex...]
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
      }
      var value: [UInt8] = []
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let escaped = rest.popFirst() else { return nil }
          value.append(escaped)
        default: value.append(byte)
        }
      }
      return nil
    }

    mutating func skipWhiteSpace() {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
      guard rest.first == byte else { return false }
      rest.removeFirst()
      return true
    }
  }
}
