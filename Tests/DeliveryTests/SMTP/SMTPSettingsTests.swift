import EmailAddresses
import Testing

@testable import Delivery

@Suite struct SMTPSettingsTests {
  @Test(
    arguments: [
      ("www.example.org", "www.example.org"), ("192.0.2.1", "[192.0.2.1]"),
      ("[2001:db8::1]", "[IPv6:2001:db8::1]"), ("2001:db8::1", "[IPv6:2001:db8::1]"),
      ("1.2.3.256", "1.2.3.256"), ("localhost", "localhost"),
    ]
  )
  func `EHLO sends an address literal for an IP address`(_ host: String, _ name: String) {
    #expect(SMTPSettings.clientName(of: host) == name)
  }

  @Test func `a connection without a mail closes after 20 seconds`() throws {
    #expect(try Self.settings(url: "smtp://relay").idleTimeout == .seconds(20))
  }

  @Test func `the time for a mail is less than its lease`() throws {
    let settings = try Self.settings(url: "smtp://relay")
    #expect(settings.mailTimeout == .seconds(150))
    #expect(settings.mailTimeout < settings.replyTimeout * 3)
  }

  @Test(arguments: [SMTPSecurity.opportunistic, .off])
  func `rejects smtps without required TLS`(_ security: SMTPSecurity) {
    #expect(throws: SMTPServerError.implicitTLSIsRequired) {
      try Self.settings(url: "smtps://relay", security: security)
    }
  }

  @Test func `rejects a password where anyone on the way could take the relay's role`() throws {
    for url in ["smtp://ada:x@relay", "smtp://ada@relay", "smtp://ada:x@127.0.0.1"] {
      let error = #expect(throws: SMTPServerError.self) {
        try Self.settings(url: url, security: .opportunistic)
      }
      #expect(error?.description.hasPrefix("a user requires TLS that is verified") == true)
    }
    #expect(try Self.settings(url: "smtp://relay", security: .opportunistic).server.user == nil)
    #expect(try Self.settings(url: "smtp://ada:x@relay", security: .off).security == .off)
  }

  private static func settings(url: String, security: SMTPSecurity? = nil) throws -> SMTPSettings {
    try SMTPSettings(
      server: SMTPServer(url: url), security: security,
      sender: EmailAddress(validating: "list@example.org"), publicHost: "www.example.org")
  }
}
