import TestSupport
import Testing

@testable import Delivery

/// Relays that do not keep to the protocol, or that someone on the way impersonates.
@Suite(.needsPython)
struct SMTPHostileRelayTests {
  @Test(arguments: ["drip", "flood", "line"])
  func `a greeting without an end makes the relay unavailable in time`(_ kind: String) throws {
    let relay = try TestRelay(["--hostile", kind])
    let mailer = SMTPMailer(try relay.settings(replyTimeout: .seconds(1)))
    #expect(try mailer.send("ada")?.description == "relay unavailable at greeting")
  }

  @Test(
    arguments: [
      ("injection", "TLS"), ("nostarttls", "TLS: 454 4.7.0"), ("noehlo", "EHLO: 500 5.5.1"),
    ]
  )
  func `required TLS never falls back to plain text`(_ kind: String, _ failure: String) throws {
    let relay = try TestRelay(["--hostile", kind])
    let settings = try relay.settings(
      user: "ada", password: "secret", security: .required, replyTimeout: .seconds(2))
    #expect(try SMTPMailer(settings).send("ada")?.description == "relay unavailable at \(failure)")
    let commands = try relay.stop().compactMap(\.name)
    #expect(commands.first == "EHLO")
    for command in ["HELO", "AUTH", "MAIL", "RCPT", "DATA"] {
      #expect(!commands.contains(command))
    }
  }

  @Test(arguments: ["nostarttls", "noehlo"])
  func `opportunistic TLS sends the mail without it`(_ kind: String) throws {
    let relay = try TestRelay(["--hostile", kind])
    let mailer = SMTPMailer(try relay.settings(security: .opportunistic))
    #expect(try mailer.send("ada") == nil)
  }

  @Test func `a reply with controls, null bytes and the address leaves a status only`() throws {
    let relay = try TestRelay(["--hostile", "binary"])
    let mailer = SMTPMailer(try relay.settings(security: .off))
    let error = try #require(try mailer.send("ada"))
    #expect(error.description == "rejected at RCPT: 550 5.1.1")
    #expect(!String(reflecting: error).contains("example.org"))
  }

  @Test func `replies that come too early do not hang a mail`() throws {
    let relay = try TestRelay(["--hostile", "double"])
    let mailer = SMTPMailer(try relay.settings(security: .off, replyTimeout: .seconds(2)))
    // Whether the mail counts as accepted is the relay's word; it must not block the connection.
    _ = try mailer.send("ada")
    _ = try mailer.send("grace")
  }
}
