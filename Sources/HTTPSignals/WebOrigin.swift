/// Where a page comes from: scheme, host and port (RFC 6454 §4).
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  package let scheme: String
  /// The host, in lower case; an IPv6 address in brackets.
  package let host: String
  /// The port; that of the scheme where none is named.
  package let port: Int

  /// Reads what an `Origin` field holds: a scheme, a host, perhaps a port, and no more.
  ///
  /// - Parameter text: `https://example.org:8443`, for instance.
  package init?(_ text: String) {
    guard let parts = Self.split(text), parts.rest.isEmpty else { return nil }
    self = parts.origin
  }

  /// Reads the origin of an absolute URL.
  ///
  /// - Parameter url: `https://example.org/path?query`; user information, white space, controls and
  ///   backslashes are not accepted, since browsers disagree with others about them.
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
    let scheme = String(text.prefix { $0 != ":" }).lowercased()
    guard scheme == "http" || scheme == "https",
      text.dropFirst(scheme.count).hasPrefix("://")
    else { return nil }
    let authority = text.dropFirst(scheme.count + 3)
    let end = authority.firstIndex { "/?#".contains($0) } ?? authority.endIndex
    guard let (host, port) = hostAndPort(authority[..<end], scheme) else { return nil }
    return (WebOrigin(scheme: scheme, host: host, port: port), authority[end...])
  }

  /// Reads a `Host` field, or what stands between the slashes of an URL.
  ///
  /// - Parameters:
  ///   - text: `example.org:8443`, `[::1]`.
  ///   - scheme: Whose port it is, where none is named.
  /// - Returns: The host in lower case and the port; `nil` when it is neither.
  package static func hostAndPort(
    _ text: some StringProtocol,
    _ scheme: String
  ) -> (host: String, port: Int)? {
    let text = text.lowercased()
    let host =
      text.hasPrefix("[")
      ? text[...(text.firstIndex(of: "]") ?? text.startIndex)] : text.prefix { $0 != ":" }
    let isHost = host.utf8.allSatisfy { octet in
      (0x30...0x39).contains(octet) || (0x61...0x7A).contains(octet)
        || "-._:[]".utf8.contains(octet)
    }
    guard !host.isEmpty, host != "[", isHost else { return nil }
    let rest = text[host.endIndex...]
    if rest.isEmpty { return (String(host), scheme == "https" ? 443 : 80) }
    guard rest.first == ":", rest.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(rest.dropFirst()), (1...65_535).contains(port)
    else { return nil }
    return (String(host), port)
  }

  private init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  package var description: String {
    let isUsual = port == (scheme == "https" ? 443 : 80)
    return "\(scheme)://\(host)\(isUsual ? "" : ":\(port)")"
  }
}
