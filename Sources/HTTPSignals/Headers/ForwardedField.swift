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
