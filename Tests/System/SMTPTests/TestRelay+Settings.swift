import EmailAddresses
import TestSupport

@testable import Delivery

extension TestRelay {
  /// Makes settings for this relay.
  ///
  /// - Parameters:
  ///   - scheme: `smtp` or `smtps`.
  ///   - user: The user name.
  ///   - password: The password.
  ///   - security: How TLS is used.
  ///   - authorities: The name of a file of ``certificates``.
  ///   - replyTimeout: The longest time for a reply.
  ///   - connectionCount: The maximum number of connections.
  ///   - publicHost: The host of the service.
  /// - Returns: The settings.
  func settings(
    scheme: String = "smtp", user: String? = nil, password: String? = nil,
    security: SMTPSecurity? = nil, authorities: String? = nil,
    replyTimeout: Duration = .seconds(60), connectionCount: Int = 1,
    publicHost: String = "www.example.com"
  ) throws -> SMTPSettings {
    try SMTPSettings(
      server: SMTPServer(url: "\(scheme)://127.0.0.1:\(port)", user: user, password: password),
      security: security,
      authorities: authorities.flatMap { name in Self.certificates.map { $0(name) } },
      replyTimeout: replyTimeout, connectionCount: connectionCount,
      sender: EmailAddress(validating: "list@example.com", level: .test), publicHost: publicHost)
  }
}
