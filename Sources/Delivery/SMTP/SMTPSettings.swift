package import EmailAddresses

/// The settings of the connections to a relay.
package struct SMTPSettings: Sendable {
  /// The relay: host, port and credentials.
  package let server: SMTPServer
  /// How TLS is used.
  package let security: SMTPSecurity
  /// The path of a PEM file with the only authorities to trust; `nil` trusts the system's.
  package let authorities: String?
  /// The longest time until a connection is established, without the greeting and TLS.
  var connectTimeout = Duration.seconds(10)
  /// The longest time that the relay may take for one reply; at least a second.
  package let replyTimeout: Duration
  /// The time without a mail after which a connection is closed; relays allow 5 minutes or less.
  var idleTimeout = Duration.seconds(20)
  /// The maximum number of connections, at least 1.
  package let connectionCount: Int
  /// The sender of the envelope, to which bounces go.
  package let sender: EmailAddress
  /// The name that EHLO sends: a domain, or an address literal.
  package let clientName: String
  /// Receives the lines of conversations, on a thread of the mailer; `nil` drops them.
  ///
  /// They contain addresses and the relay's text, so they are for the operator who sends a test
  /// mail, never for a log. What follows AUTH is hidden.
  package var transcript: (@Sendable (SMTPTranscriptLine) -> Void)?

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - security: How TLS is used; `nil` is ``SMTPServer/defaultSecurity``.
  ///   - authorities: The path of a PEM file with the only authorities to trust.
  ///   - replyTimeout: The longest time for one reply; less than a second counts as a second.
  ///   - connectionCount: The maximum number of connections; less than 1 counts as 1.
  /// - Throws: `SMTPServerError` if TLS begins with the first byte, but is not required, or if
  ///   there is a password and the relay that gets it is not verified.
  package init(
    server: SMTPServer,
    security: SMTPSecurity? = nil,
    authorities: String? = nil,
    replyTimeout: Duration = .seconds(60),
    connectionCount: Int = 2,
    sender: EmailAddress,
    publicHost: String
  ) throws(SMTPServerError) {
    let security = security ?? server.defaultSecurity
    guard !server.hasImplicitTLS || security == .required else { throw .implicitTLSIsRequired }
    guard security != .opportunistic || server.user == nil else { throw .unverifiedTLSWithUser }
    self.server = server
    self.security = security
    self.authorities = authorities
    self.replyTimeout = max(replyTimeout, .seconds(1))
    self.connectionCount = max(connectionCount, 1)
    self.sender = sender
    clientName = Self.clientName(of: publicHost)
  }

  /// The longest time for one mail, with a second attempt if there is one.
  ///
  /// It is less than the lease of a mail, 3 times ``replyTimeout``.
  package var mailTimeout: Duration { replyTimeout * 5 / 2 }

  /// Makes the name that EHLO sends for a host (RFC 5321 §4.1.3).
  ///
  /// - Parameter host: A name, an IPv4 address, or an IPv6 address with or without brackets.
  package static func clientName(of host: String) -> String {
    if host.utf8.contains(UInt8(ascii: ":")) {
      let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]")
      return "[IPv6:\(hasBrackets ? host.dropFirst().dropLast() : host[...])]"
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let isAddress = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    return isAddress ? "[\(host)]" : host
  }
}

/// How TLS is used with a relay.
package enum SMTPSecurity: String, Hashable, Sendable, CaseIterable {
  /// TLS is required, and the relay's certificate is verified.
  case required
  /// TLS is used if the relay offers it, without verification: it protects from eavesdropping only.
  case opportunistic
  /// TLS is not used.
  case off
}
