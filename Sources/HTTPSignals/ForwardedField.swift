/// Reads the fields in which proxies name who is behind them.
///
/// Strictly: a client may begin the field with whatever it likes, an open quotation mark for
/// instance, so that what a proxy adds would be read as part of it.
enum ForwardedField {
  /// Reads `Forwarded` (RFC 7239 §4).
  ///
  /// - Parameter text: `for=192.0.2.1;proto=https, for="[2001:db8::1]:4711"`, for instance.
  /// - Returns: The nodes in their order, `unknown` for one that is hidden; `nil` when the text is
  ///   malformed.
  static func nodes(_ text: String) -> [ClientAddress]? {
    var reader = Reader(rest: text.utf8[...])
    var nodes: [ClientAddress] = []
    repeat {
      reader.skipWhiteSpace()
      // An empty element of a list means nothing (RFC 9110 §5.6.1).
      if reader.rest.isEmpty || reader.rest.first == UInt8(ascii: ",") { continue }
      guard let node = reader.readElement() else { return nil }
      nodes.append(node)
    } while reader.take(UInt8(ascii: ","))
    return reader.rest.isEmpty ? nodes : nil
  }

  /// Reads `X-Forwarded-For`, which no standard describes.
  ///
  /// - Parameter text: `203.0.113.9, 2001:db8::1`, for instance; some add ports.
  /// - Returns: The nodes in their order, `unknown` for what is no address.
  static func nodes(forFieldOf text: String) -> [ClientAddress] {
    text.split(separator: ",").compactMap { part in
      let node = part.drop { $0 == " " || $0 == "\t" }
      guard let end = node.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return nil }
      return Self.node(node[...end])
    }
  }

  /// Reads a node (RFC 7239 §6), with or without port.
  private static func node(_ text: Substring) -> ClientAddress {
    // An IPv6 address alone has no brackets in X-Forwarded-For.
    if let address = ClientAddress(text) { return address }
    let octets = text.utf8
    if octets.first == UInt8(ascii: "["), let end = octets.firstIndex(of: UInt8(ascii: "]")) {
      let host = text[octets.index(after: octets.startIndex)..<end]
      guard host.utf8.contains(UInt8(ascii: ":")), isPort(text[octets.index(after: end)...]) else {
        return .unknown
      }
      return ClientAddress(host) ?? .unknown
    }
    guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), isPort(text[colon...]) else {
      return .unknown
    }
    return ClientAddress(text[..<colon]) ?? .unknown
  }

  /// Whether a text is nothing, or a colon and a port, which may be hidden (RFC 7239 §6.1).
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.utf8.first == UInt8(ascii: ":") && (2...16).contains(text.utf8.count)
  }

  /// Reads elements of `Forwarded` from the front of octets.
  private struct Reader {
    var rest: Substring.UTF8View

    /// Pairs up to the comma; the node of the one named `for`, which may be there once.
    mutating func readElement() -> ClientAddress? {
      var node: ClientAddress?
      repeat {
        skipWhiteSpace()
        let name = readToken()
        guard !name.isEmpty, take(UInt8(ascii: "=")), let value = readValue() else { return nil }
        if name.lowercased() == "for" {
          guard node == nil else { return nil }
          node = ForwardedField.node(value[...])
        }
        skipWhiteSpace()
      } while take(UInt8(ascii: ";"))
      return node ?? .unknown
    }

    private mutating func readToken() -> String {
      let token = rest.prefix(while: NameValuePairs.isTokenOctet)
      rest = rest[token.endIndex...]
      return String(decoding: token, as: UTF8.self)
    }

    /// A token or a quoted string (RFC 9110 §5.6.4).
    private mutating func readValue() -> String? {
      guard take(UInt8(ascii: "\"")) else {
        // Some write addresses with colons and brackets without the quotation marks they need.
        let value = rest.prefix {
          NameValuePairs.isTokenOctet($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[")
            || $0 == UInt8(ascii: "]")
        }
        rest = rest[value.endIndex...]
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
      }
      var value: [UInt8] = []
      while let octet = rest.popFirst() {
        switch octet {
        case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let escaped = rest.popFirst() else { return nil }
          value.append(escaped)
        default: value.append(octet)
        }
      }
      return nil
    }

    mutating func skipWhiteSpace() {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    mutating func take(_ octet: UInt8) -> Bool {
      guard rest.first == octet else { return false }
      rest.removeFirst()
      return true
    }
  }
}
