import EmailAddresses
import Glibc
import TestSupport
import Testing

@testable import Delivery

/// The results before RCPT, with a real relay: in all of them the relay is unavailable.
@Suite(.needsPython)
struct SMTPRelayTests {
  @Test(
    arguments: [
      ("greeting=554 5.3.2 No", "greeting: 554 5.3.2"),
      ("greeting=421 4.3.2 No", "greeting: 421 4.3.2"),
      ("greeting=drop", "greeting"), ("greeting=hang", "greeting"), ("ehlo=drop", "EHLO"),
      ("ehlo=hang", "EHLO"), ("mail=550 5.7.1 No", "MAIL: 550 5.7.1"),
      ("mail=451 4.3.2 No", "MAIL: 451 4.3.2"), ("mail=421 4.3.2 No", "MAIL: 421 4.3.2"),
      ("mail=530 5.7.0 Authentication required", "MAIL: 530 5.7.0"), ("mail=drop", "MAIL"),
      ("mail=hang", "MAIL"),
    ]
  )
  func `no reply, or an error, at a step before RCPT`(_ reply: String, _ failure: String) throws {
    let relay = try TestRelay(["--reply", reply])
    let mailer = SMTPMailer(try relay.settings(replyTimeout: .seconds(1)))
    #expect(try mailer.send("ada")?.description == "relay unavailable at \(failure)")
    // Once: a new connection was not idle.
    #expect(try relay.stop().count { $0.event == "connect" } == 1)
  }

  @Test func `a proxy of the environment is not used`() throws {
    let relay = try TestRelay()
    // This one does not exist.
    setenv("all_proxy", "http://127.0.0.1:9", 1)
    defer { unsetenv("all_proxy") }
    #expect(try SMTPMailer(try relay.settings()).send("ada") == nil)
  }

  @Test func `a relay without AUTH rejects MAIL`() throws {
    let relay = try TestRelay(["--reply", "mail=530 5.7.0 Authentication required"])
    let settings = try relay.settings(user: "ada", password: "secret", security: .off)
    #expect(
      try SMTPMailer(settings).send("ada")?.description == "relay unavailable at MAIL: 530 5.7.0")
  }

  @Test(
    arguments: [
      ("535 5.7.8 No", "AUTH: 535 5.7.8"), ("454 4.7.0 No", "AUTH: 454 4.7.0"), ("drop", "AUTH"),
      ("hang", "AUTH"),
    ]
  )
  func `AUTH fails`(_ reply: String, _ failure: String) throws {
    let relay = try TestRelay(["--user", "ada", "--password", "secret", "--reply", "auth=\(reply)"])
    let settings = try relay.settings(
      user: "ada", password: "secret", security: .off, replyTimeout: .seconds(1))
    #expect(try SMTPMailer(settings).send("ada")?.description == "relay unavailable at \(failure)")
  }

  @Test func `a wrong password makes the relay unavailable`() throws {
    let relay = try TestRelay(["--user", "ada", "--password", "secret"])
    let settings = try relay.settings(user: "ada", password: "wrong", security: .off)
    #expect(
      try SMTPMailer(settings).send("ada")?.description == "relay unavailable at AUTH: 535 5.7.8")
  }

  @Test(arguments: [("--ntlm", "PLAIN"), ("--login-only", "LOGIN")])
  func `PLAIN is used where NTLM is offered, and LOGIN where PLAIN is not`(
    _ option: String, _ mechanism: String
  ) throws {
    let relay = try TestRelay(["--user", "ada", "--password", "s:e/cret@", option])
    let settings = try relay.settings(user: "ada", password: "s:e/cret@", security: .off)
    #expect(try SMTPMailer(settings).send("ada") == nil)
    let login = try relay.event("login")
    #expect(login.mechanism == mechanism)
    #expect(login.success == true)
  }

  @Test func `nothing listens`() throws {
    let listener = try LocalListener(refuses: true)
    let server = try SMTPServer(url: "smtp://127.0.0.1:\(listener.port)")
    let settings = try SMTPSettings(
      server: server, sender: .init(validating: "list@example.com", level: .test),
      publicHost: "www.example.com")
    #expect(try SMTPMailer(settings).send("ada")?.description == "relay unavailable at connect")
  }

  @Test func `the name of the relay does not exist`() throws {
    let settings = try SMTPSettings(
      server: SMTPServer(url: "smtp://relay.invalid"),
      sender: .init(validating: "list@example.com", level: .test), publicHost: "www.example.com")
    #expect(try SMTPMailer(settings).send("ada")?.description == "relay unavailable at connect")
  }

  // MARK: TLS

  /// The use of TLS by relay and client, and the failure, if any.
  struct TLSCase: Sendable, CustomTestStringConvertible {
    let relay: [String]
    var scheme = "smtp"
    let security: SMTPSecurity
    let authorities: String?
    let failure: String?

    var testDescription: String {
      "\(relay.joined(separator: " ")), \(scheme) \(security) \(authorities ?? "system")"
    }
  }

  @Test(
    arguments: [
      TLSCase(
        relay: ["--tls", "starttls"], security: .required, authorities: "ca.pem", failure: nil),
      TLSCase(
        relay: ["--tls", "starttls"], security: .required, authorities: "other-ca.pem",
        failure: "TLS"),
      TLSCase(relay: ["--tls", "starttls"], security: .required, authorities: nil, failure: "TLS"),
      TLSCase(
        relay: ["--tls", "starttls"], security: .required, authorities: "missing.pem",
        failure: "TLS"),
      TLSCase(
        relay: ["--tls", "starttls", "--certificate", "wrong-name"], security: .required,
        authorities: "ca.pem", failure: "TLS"),
      TLSCase(relay: [], security: .required, authorities: "ca.pem", failure: "TLS"),
      TLSCase(
        relay: ["--tls", "starttls", "--certificate", "wrong-name"], security: .opportunistic,
        authorities: "other-ca.pem", failure: nil),
      TLSCase(relay: [], security: .opportunistic, authorities: nil, failure: nil),
      TLSCase(relay: ["--tls", "starttls"], security: .off, authorities: nil, failure: nil),
      TLSCase(
        relay: ["--tls", "smtps"], scheme: "smtps", security: .required, authorities: "ca.pem",
        failure: nil),
      TLSCase(
        relay: ["--tls", "smtps"], scheme: "smtps", security: .required,
        authorities: "other-ca.pem", failure: "TLS"),
      TLSCase(
        relay: [], scheme: "smtps", security: .required, authorities: "ca.pem", failure: "TLS"),
    ]
  )
  func `TLS is used, and verified where it is required`(_ test: TLSCase) throws {
    let relay = try TestRelay(test.relay)
    let mailer = SMTPMailer(
      try relay.settings(
        scheme: test.scheme, security: test.security, authorities: test.authorities))
    let error = try mailer.send("ada")?.description
    #expect(error == test.failure.map { "relay unavailable at \($0)" })
    guard error == nil else { return }
    let ehlo = try relay.events(until: "text").last { $0.event == "ehlo" }
    let usesTLS = test.relay.contains("--tls") && test.security != .off
    #expect((ehlo?.tls ?? false || test.scheme == "smtps") == usesTLS)
  }

  @Test(
    arguments: [
      ("www.example.com", "www.example.com"), ("192.0.2.1", "[192.0.2.1]"),
      ("[2001:db8::1]", "[IPv6:2001:db8::1]"),
    ]
  )
  func `EHLO sends the public host`(_ host: String, _ name: String) throws {
    let relay = try TestRelay()
    #expect(try SMTPMailer(relay.settings(publicHost: host)).send("ada") == nil)
    #expect(try relay.event("ehlo").name == name)
  }
}
