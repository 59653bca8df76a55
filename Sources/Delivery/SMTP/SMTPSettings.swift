package import EmailAddresses

/// The settings of the connections to a relay.
package struct SMTPSettings: Sendable {
  package let server: SMTPServer
  package let security: SMTPSecurity
  /// The path of a PEM file with the only trusted authorities; `nil` trusts the system's.
  package let authorities: String?
  /// The timeout for establishing a connection, without the greeting and TLS.
  var connectTimeout = Duration.seconds(10)
  /// The timeout for one reply of the relay, at least a second.
  package let replyTimeout: Duration
  /// The time without a mail after which a connection is closed; relays allow 5 minutes or less.
  var idleTimeout = Duration.seconds(20)
  /// The maximum number of connections, at least 1.
  package let connectionCount: Int
  /// The sender of the envelope, which receives bounces.
  package let sender: EmailAddress
  /// The name that EHLO sends: a domain, or an address literal.
  package let clientName: String
  /// Receives the lines of conversations, on a queue of the mailer; `nil` drops them.
  ///
  /// The lines contain addresses and the relay's text, so they are only for the operator who sends
  /// a test mail, never for a log. The data after AUTH is hidden.
  package var transcript: (@Sendable (SMTPTranscriptLine) -> Void)?

  /// Creates settings; values below the minimums are raised to them.
  ///
  /// - Parameter security: The use of TLS; `nil` is ``SMTPServer/defaultSecurity``.
  /// - Throws: `SMTPServerError` if TLS begins with the first byte but is not required, or if a
  ///   user is set and TLS is opportunistic, because the relay that gets the password is not
  ///   verified.
  package init(
    server: SMTPServer, security: SMTPSecurity? = nil, authorities: String? = nil,
    replyTimeout: Duration = .seconds(60), connectionCount: Int = 2, sender: EmailAddress,
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

  /// The timeout for one mail, including the second attempt, if any.
  ///
  /// It is less than the lease of a mail, which is 3 times ``replyTimeout``.
  package var mailTimeout: Duration { replyTimeout * 5 / 2 }

  /// Returns the name that EHLO sends for a host (RFC 5321 §4.1.3).
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

/// The use of TLS with a relay.
package enum SMTPSecurity: String, Hashable, Sendable, CaseIterable {
  /// TLS is required, and the relay's certificate is verified.
  case required
  /// TLS is used if the relay offers it, without verification; it protects only from eavesdropping.
  case opportunistic
  /// TLS is not used.
  case off
}
