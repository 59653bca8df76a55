internal import Platform

/// The host, port and credentials of a relay.
package struct SMTPServer: Hashable, Sendable {
  /// A host name, an IPv4 address, or an IPv6 address in brackets.
  package let host: String
  /// The port, 1 to 65535.
  package let port: UInt16
  /// Whether TLS begins with the first byte (`smtps`, RFC 8314 §3.3).
  package let hasImplicitTLS: Bool
  /// The user name; `nil` sends no credentials.
  package let user: String?
  /// The password of the user; empty if none was set.
  package let password: String

  /// Parses a URL such as `smtp://user:password@relay.example.com:587`.
  ///
  /// The scheme is `smtp` or `smtps`; user, password and port are optional, and user and password
  /// are percent-encoded. The default port is 465 for `smtps`, 587 with a user, otherwise 25. The
  /// arguments `user` and `password` override those in the URL.
  package init(url: String, user: String? = nil, password: String? = nil) throws(SMTPServerError) {
    guard let separator = url.firstRange(of: "://") else { throw .invalidURL }
    let isSecure: Bool
    switch url[..<separator.lowerBound].lowercased() {
    case "smtp": isSecure = false
    case "smtps": isSecure = true
    default: throw .invalidURL
    }
    var authority = url[separator.upperBound...]
    if authority.hasSuffix("/") { authority.removeLast() }
    var credentials: (user: String, password: String?)?
    if let at = authority.lastIndex(of: "@") {
      credentials = try Self.credentials(in: authority[..<at])
      authority = authority[authority.index(after: at)...]
    }
    let (host, port) = try Self.hostAndPort(in: authority)
    let name = user ?? credentials?.user
    guard name != nil || password == nil else { throw .passwordWithoutUser }
    let secret = password ?? credentials?.password ?? ""
    // PLAIN separates user and password with a null byte (RFC 4616).
    guard !secret.utf8.contains(0), name.map({ !$0.utf8.contains(0) }) ?? true else {
      throw .invalidURL
    }
    self.host = host
    self.user = name
    self.password = secret
    self.port = port ?? (isSecure ? 465 : name != nil ? 587 : 25)
    hasImplicitTLS = isSecure
  }

  /// The default use of TLS: required with implicit TLS and with a user, whose password must not be
  /// sent in the clear; otherwise opportunistic.
  package var defaultSecurity: SMTPSecurity {
    hasImplicitTLS || user != nil ? .required : .opportunistic
  }

  /// Whether the relay is on this machine according to its name or address as written.
  package var isLoopback: Bool {
    let name = host.lowercased()
    if name == "localhost" || name == "[::1]" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func credentials(
    in text: Substring
  ) throws(SMTPServerError) -> (user: String, password: String?) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = parts[0].percentDecoded, !user.isEmpty else { throw .invalidURL }
    guard parts.count == 2 else { return (user, nil) }
    guard let password = parts[1].percentDecoded else { throw .invalidURL }
    return (user, password)
  }

  private static func hostAndPort(
    in text: Substring
  ) throws(SMTPServerError) -> (host: String, port: UInt16?) {
    let isLiteral = text.hasPrefix("[")
    let host: Substring
    if isLiteral {
      guard let end = text.firstIndex(of: "]") else { throw .invalidURL }
      host = text[...end]
    } else {
      host = text.prefix { $0 != ":" }
    }
    guard host.utf8.allSatisfy({ isHostByte($0, inLiteral: isLiteral) }), !host.isEmpty else {
      throw .invalidURL
    }
    let rest = text[host.endIndex...]
    guard !rest.isEmpty else { return (String(host), nil) }
    guard rest.hasPrefix(":"), rest.utf8.dropFirst().allSatisfy(\.isASCIIDigit),
      let port = UInt16(rest.dropFirst()), port > 0
    else { throw .invalidURL }
    return (String(host), port)
  }

  /// Returns whether a byte may be part of a host; names of containers may contain underscores.
  private static func isHostByte(_ byte: UInt8, inLiteral: Bool) -> Bool {
    if byte.isASCIIDigit || byte.isASCIILetter { return true }
    switch byte {
    case UInt8(ascii: "."): return true
    case UInt8(ascii: "-"), UInt8(ascii: "_"): return !inLiteral
    case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): return inLiteral
    default: return false
    }
  }
}

extension SMTPServer: CustomStringConvertible {
  /// The host and the port, without credentials.
  package var description: String { "\(host):\(port)" }
}

/// The reason the settings of a relay are invalid; it never contains the password.
package enum SMTPServerError: Error, Hashable, Sendable {
  case invalidURL
  case passwordWithoutUser
  /// The URL begins with `smtps`, but the setting does not require TLS.
  case implicitTLSIsRequired
  /// A user is set, but TLS is neither verified nor off.
  case unverifiedTLSWithUser
}

extension SMTPServerError: CustomStringConvertible {
  /// The message for the operator, without the name of the setting.
  package var description: String {
    switch self {
    case .invalidURL:
      """
      invalid URL: expected smtp://[user:password@]host[:port] or \
      smtps://[user:password@]host[:port]
      """
    case .passwordWithoutUser: "a password requires a user"
    case .implicitTLSIsRequired: "smtps:// always requires TLS"
    case .unverifiedTLSWithUser:
      """
      a user requires TLS that is verified, otherwise anyone on the way can read the password; \
      expected auto or required
      """
    }
  }
}
