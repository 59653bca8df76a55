import EmailAddresses
import Foundation
import Signals
import TestSupport
import Testing

@testable import Delivery

/// The life of connections to a real relay.
@Suite(.needsPython)
struct SMTPConnectionTests {
  /// Exim only queues what comes after the tenth mail of a connection.
  @Test func `ten mails share one connection, one handshake and one login`() throws {
    let relay = try TestRelay(["--tls", "starttls", "--user", "ada", "--password", "secret"])
    let mailer = SMTPMailer(
      try relay.settings(user: "ada", password: "secret", authorities: "ca.pem"))
    for number in 0..<100 { #expect(try mailer.send("ada\(number)") == nil) }
    let events = try relay.stop()
    for name in ["connect", "starttls", "tls", "login"] {
      #expect(events.count { $0.event == name } == 10, "\(name)")
    }
    #expect(events.count { $0.event == "quit" } == 10)
    // One before TLS, one after it.
    #expect(events.count { $0.event == "ehlo" } == 20)
    let perConnection = Dictionary(grouping: events.filter { $0.event == "rcpt" }, by: \.connection)
    #expect(perConnection.values.allSatisfy { $0.count == 10 })
    let recipients = events.filter { $0.event == "rcpt" }.map(\.address)
    #expect(recipients == (0..<100).map { "ada\($0)@example.org" })
  }

  @Test(arguments: ["goodbye", "vanish"])
  func `a mail survives that the relay has closed the idle connection`(_ local: String) throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    #expect(try mailer.send(local) == nil)
    try relay.event("close")
    #expect(try mailer.send("ada") == nil)
    // Also a mail that asks for SMTPUTF8 first.
    #expect(try mailer.send(local) == nil)
    try relay.event("close")
    #expect(try mailer.send("jürgen") == nil)
  }

  @Test(
    arguments: [
      "reject.550", "close", "droprcpt", "hangrcpt", "dropdata", "datareject.550", "dropend",
      "hangend",
    ]
  )
  func `a mail that fails from RCPT on over a used connection is not sent again at once`(
    _ local: String
  ) throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings(replyTimeout: .seconds(1)))
    #expect(try mailer.send("ada") == nil)
    #expect(try mailer.send(local) != nil)
    let recipients = try relay.stop().filter { $0.event == "rcpt" }.map(\.address)
    #expect(recipients == ["ada@example.org", "\(local)@example.org"])
  }

  @Test func `an idle connection closes, and another one opens for the next mail`() throws {
    let relay = try TestRelay()
    var settings = try relay.settings()
    settings.idleTimeout = .milliseconds(200)
    let mailer = SMTPMailer(settings)
    #expect(try mailer.send("ada") == nil)
    let events = try relay.events(until: "close", within: .seconds(15))
    #expect(events.contains { $0.event == "quit" })
    #expect(try mailer.send("ada") == nil)
    #expect(try relay.event("connect").connection == 2)
  }

  @Test func `mails are sent over as many connections as are allowed`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings(connectionCount: 3))
    let deliveries = try (0..<6).map { try mailer.start("slow.300", "Subject: \($0)\r\n\r\n") }
    for delivery in deliveries { #expect(try delivery.result() == nil) }
    let events = try relay.stop()
    #expect(events.count { $0.event == "connect" } == 3)
    #expect(events.count { $0.event == "text" } == 6)
  }

  @Test func `a slow relay delays a mail, and does not fail it`() throws {
    let relay = try TestRelay(["--delay", "100"])
    let mailer = SMTPMailer(try relay.settings(replyTimeout: .seconds(1)))
    // Five replies and more: longer than one reply may take, less than a mail.
    #expect(try mailer.send("slow.500") == nil)
  }

  @Test func `the time to connect does not limit the greeting, TLS, EHLO and AUTH`() throws {
    let relay = try TestRelay([
      "--delay", "150", "--tls", "starttls", "--user", "ada", "--password", "secret",
    ])
    var settings = try relay.settings(
      user: "ada", password: "secret", authorities: "ca.pem", replyTimeout: .seconds(8))
    settings.connectTimeout = .milliseconds(500)
    #expect(try SMTPMailer(settings).send("ada") == nil)
  }

  @Test func `a connection that is not established in time makes the relay unavailable`() throws {
    let listener = try LocalListener.full()
    var settings = try SMTPSettings(
      server: SMTPServer(url: "smtp://127.0.0.1:\(listener.port)"),
      sender: EmailAddress(validating: "list@example.com", level: .test),
      publicHost: "www.example.com")
    settings.connectTimeout = .seconds(1)
    let error = try SMTPMailer(settings).send("ada")
    #expect(error?.description == "relay unavailable at connect")
    #expect(error?.failure.cause?.hasSuffix("(curl 28)") == true)
  }

  @Test func `a mail ends in time even if every reply does`() throws {
    let relay = try TestRelay(["--delay", "900"])
    let mailer = SMTPMailer(try relay.settings(replyTimeout: .seconds(1)))
    // The replies alone would take five seconds.
    #expect(try mailer.send("ada") != nil)
  }

  /// The options of a relay that does not reply, the recipient, and the event after which it hangs.
  static let silent: [([String], String, String)] = [
    (["--reply", "greeting=hang"], "ada", "hang"), (["--reply", "ehlo=hang"], "ada", "hang"),
    (["--reply", "mail=hang"], "ada", "hang"), ([], "hangrcpt", "hang"), ([], "hangdata", "hang"),
    ([], "hangend", "hang"), ([], "slow.60000", "text"),
  ]

  @Test(arguments: silent)
  func `cancellation closes the connection long before a reply is late`(
    _ options: [String], _ local: String, _ event: String
  ) throws {
    let relay = try TestRelay(options)
    let mailer = SMTPMailer(try relay.settings())
    let delivery = try mailer.start(local)
    try relay.event(event)
    delivery.cancel()
    try relay.event("close")
    // The connection is free, and the next mail is not canceled.
    if options.isEmpty { #expect(try mailer.send("ada") == nil) }
  }

  @Test(arguments: silent)
  func `closing ends a conversation long before a reply is late, with a result`(
    _ options: [String], _ local: String, _ event: String
  ) throws {
    let relay = try TestRelay(options)
    let mailer = SMTPMailer(try relay.settings())
    let delivery = try mailer.start(local)
    try relay.event(event)
    let closed = DispatchSemaphore(value: 0)
    mailer.close().subscribe(completed: { closed.signal() })
    #expect(closed.wait(timeout: .now() + .seconds(30)) == .success)
    #expect(try delivery.result() != nil)
    #expect(try mailer.send("ada")?.description == "relay unavailable at connect")
  }

  @Test func `a mail that is canceled while it waits is not sent`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    let first = try mailer.start("slow.500")
    let second = try mailer.start("grace")
    let third = try mailer.start("ada")
    second.cancel()
    #expect(try first.result() == nil)
    #expect(try third.result() == nil)
    #expect(try !relay.stop().contains { $0.address == "grace@example.org" })
  }

  @Test func `a relay that is away and comes back is used again`() throws {
    let relay = try TestRelay(["--reply", "greeting=drop"])
    let mailer = SMTPMailer(try relay.settings())
    for _ in 0..<3 {
      #expect(try mailer.send("ada")?.description == "relay unavailable at greeting")
    }
    #expect(try relay.stop().count { $0.event == "connect" } == 3)
    #expect(try mailer.send("ada")?.description == "relay unavailable at connect")
  }

  @Test func `no description of an error contains an address`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    for local in ["reject.550", "busy.451", "datareject.552", "close", "dropend"] {
      let error = try #require(try mailer.send(local))
      #expect(!"\(error)".contains("@") && !String(reflecting: error).contains("example.org"))
    }
  }
}
