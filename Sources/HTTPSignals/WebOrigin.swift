internal import HTTPTypes
internal import Platform

/// The origin of a web page: scheme, host and port (RFC 6454 §4).
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  package let scheme: String
  /// The host, in lower case; an IPv6 address in brackets.
  package let host: String
  /// The port; the default port of the scheme if none is given.
  package let port: Int

  /// The maximum length of an origin, in bytes: scheme, host of 253 bytes (RFC 1035 §2.3.4), port.
  package static let maximumByteCount = 267

  /// Parses the value of an `Origin` field, for example `https://example.org:8443`.
  package init?(_ text: String) {
    // A longer text cannot be an origin and would only waste time.
    guard text.utf8.count <= Self.maximumByteCount, let parts = Self.split(text),
      parts.rest.isEmpty
    else { return nil }
    self = parts.origin
  }

  /// Parses an origin as copied from a browser, which adds an empty path.
  package init?(withEmptyPath text: String) {
    self.init(text.hasSuffix("/") ? String(text.dropLast()) : text)
  }

  /// Parses the origin of an absolute URL, for example `https://example.org/path?query`.
  ///
  /// A URL with user information, white space, control characters or backslashes is rejected,
  /// because browsers and other parsers interpret them differently.
  package init?(ofURL url: String) {
    guard let parts = Self.split(url),
      parts.rest.isEmpty || "/?#".contains(parts.rest[parts.rest.startIndex])
    else { return nil }
    self = parts.origin
  }

  private static func split(_ text: String) -> (origin: WebOrigin, rest: Substring)? {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      return nil
    }
    let scheme = Substring(text.utf8.prefix(6).prefix { $0 != UInt8(ascii: ":") }).lowercased()
    let separator = text.utf8.dropFirst(scheme.utf8.count)
    guard scheme == "http" || scheme == "https", separator.starts(with: "://".utf8) else {
      return nil
    }
    let authority = separator.dropFirst(3)
    let end = authority.firstIndex { byte in
      byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
    let host = Substring(authority[..<(end ?? authority.endIndex)])
    guard let (host, port) = hostAndPort(host, scheme) else { return nil }
    let rest = Substring(authority[(end ?? authority.endIndex)...])
    return (WebOrigin(scheme: scheme, host: host, port: port), rest)
  }

  /// Parses the value of a `Host` field, or the authority of a URL, for example `example.org:8443`
  /// or `[::1]`.
  ///
  /// - Parameter scheme: Supplies the default port.
  /// - Returns: The host in lower case, without the dot of a complete name (RFC 1034 §3.1), and the
  ///   port; `nil` if the text is invalid.
  package static func hostAndPort(
    _ text: some StringProtocol, _ scheme: String
  ) -> (host: String, port: Int)? {
    // A longer text cannot be a host and would only waste time.
    guard text.utf8.count <= maximumByteCount else { return nil }
    let text = text.lowercased()
    let bytes = text.utf8
    let end =
      bytes.first == UInt8(ascii: "[")
      ? bytes.firstIndex(of: UInt8(ascii: "]")).map { bytes.index(after: $0) }
      : bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    guard let end else { return nil }
    var host = bytes[..<end]
    if host.last == UInt8(ascii: ".") { host.removeLast() }
    let isHost = host.allSatisfy { byte in
      byte.isASCIIDigit || byte.isASCIILetter || "-._:[]".utf8.contains(byte)
    }
    guard !host.isEmpty, isHost else { return nil }
    let rest = bytes[end...]
    if rest.isEmpty { return (String(Substring(host)), scheme == "https" ? 443 : 80) }
    let digits = rest.dropFirst()
    guard rest.first == UInt8(ascii: ":"), digits.allSatisfy({ $0.isASCIIDigit }),
      let port = Int(Substring(digits)), (1...65_535).contains(port)
    else { return nil }
    return (String(Substring(host)), port)
  }

  private init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// The origin as in the `Origin` header field (RFC 6454 §6.2).
  package var description: String { "\(scheme)://\(authority)" }

  /// The host, and the port unless it is the default port of the scheme, as clients write them in
  /// the `Host` header field (RFC 9110 §7.2).
  package var authority: String {
    let isUsual = port == (scheme == "https" ? 443 : 80)
    return isUsual ? host : "\(host):\(port)"
  }
}

extension WebOrigin {
  /// The host as an address; `nil` for a name.
  private var address: ClientAddress? {
    ClientAddress(host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])
  }

  /// Whether the host is this machine by its name or address (RFC 6761 §6.3).
  package var isLoopback: Bool {
    address?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
  }

  /// Whether the internet has no such host: the host is an address of a local range, a name without
  /// a dot, or a name that is reserved for local networks (RFC 6762, and `internal`).
  package var isLocal: Bool {
    if let address { return address.isInLocalRange }
    return !host.contains(".")
      || [".local", ".internal", ".localhost"].contains { host.hasSuffix($0) }
  }
}

extension Request {
  /// Returns whether the requested host is that of an origin.
  ///
  /// With DNS rebinding, the name of another site resolves to this service, and a request from its
  /// page has a different host.
  package func isFor(_ origin: WebOrigin) -> Bool {
    guard let host = requestedHost,
      let requested = WebOrigin.hostAndPort(host, origin.scheme)
    else { return false }
    return requested.host == origin.host && requested.port == origin.port
  }

  /// Returns whether a visitor may have requested the host of an origin although ``isFor(_:)`` is
  /// false: a proxy has written a host of its own, or another port.
  package func mayBeChanged(from origin: WebOrigin) -> Bool {
    // Nothing else stands between a client of the internet and the service.
    guard source.peer == .trusted || source.client.isInLocalRange else { return false }
    return source.forwardedHost == nil || requestedOrigin(origin.scheme)?.host == origin.host
  }

  /// The origin of the requested host; `nil` if the host is invalid.
  package func requestedOrigin(_ scheme: String) -> WebOrigin? {
    requestedHost.flatMap { WebOrigin("\(scheme)://\($0)") }
  }

  /// Whether a field in which proxies name the client has a value.
  package var isClientNamed: Bool {
    [.forwarded, .xForwardedFor].contains { name in
      fields.count(of: name) > 0 && !fields.first(name, is: "")
    }
  }

  /// The requested host, unchanged: the one that a trusted proxy forwards, otherwise `Host`.
  package var requestedHost: String? { source.forwardedHost ?? fields.first(.hostField) }
}

/// The origins whose pages may use the service.
package struct AllowedOrigins: Hashable, Sendable {
  /// One origin, or all subdomains of one.
  private struct Pattern: Hashable {
    let origin: WebOrigin
    /// The suffix of the host of every subdomain; `nil` if the pattern is the origin itself.
    let suffix: String?
  }

  private let patterns: [Pattern]

  package static let none = AllowedOrigins(patterns: [])

  /// Parses comma-separated origins, or `none` for an empty list; `nil` if an origin is invalid.
  ///
  /// `https://*.example.org` matches every subdomain of `example.org`, but not `example.org`
  /// itself. An origin may end with a slash.
  package init?(_ text: String) {
    if text == "none" {
      self = .none
      return
    }
    var patterns: [Pattern] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let item = String(item.drop { $0 == " " })
      let isOfSubdomains = item.contains("://*.")
      let name = isOfSubdomains ? item.replacing("://*.", with: "://", maxReplacements: 1) : item
      guard let origin = WebOrigin(withEmptyPath: name) else { return nil }
      patterns.append(Pattern(origin: origin, suffix: isOfSubdomains ? ".\(origin.host)" : nil))
    }
    self.init(patterns: patterns)
  }

  private init(patterns: [Pattern]) {
    self.patterns = patterns
  }

  package func contains(_ origin: WebOrigin) -> Bool {
    patterns.contains { pattern in
      guard let suffix = pattern.suffix else { return pattern.origin == origin }
      return origin.scheme == pattern.origin.scheme && origin.port == pattern.origin.port
        && origin.host.utf8.count > suffix.utf8.count
        && origin.host.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        && origin.host.utf8.first != UInt8(ascii: ".")
    }
  }

  /// The list as source expressions of a content security policy (CSP Level 3 §2.3.1).
  package var sources: [String] {
    patterns.map { pattern in
      let source = pattern.origin.description
      return pattern.suffix != nil
        ? source.replacing("://", with: "://*.", maxReplacements: 1) : source
    }
  }
}
