import TestSupport
import Testing

@testable import Delivery

/// The results from RCPT on, with a real relay.
@Suite(.needsPython)
struct SMTPRecipientTests {
  @Test(
    arguments: [
      ("ada", nil), ("slow.300", nil),
      ("reject.550", "rejected at RCPT: 550 5.1.1"),
      ("reject.550.5.1.2", "rejected at RCPT: 550 5.1.2"),
      ("reject.556.5.1.10", "rejected at RCPT: 556 5.1.10"),
      // What relays say that do not relay for the service, and also of missing mailboxes.
      ("reject.550.0", "not accepted at RCPT: 550"), ("reject.551.0", "not accepted at RCPT: 551"),
      ("reject.553.0", "not accepted at RCPT: 553"), ("reject.511.0", "not accepted at RCPT: 511"),
      ("reject.501.0", "not accepted at RCPT: 501"),
      ("reject.550.5.1.0", "not accepted at RCPT: 550 5.1.0"),
      // What they say to addresses that their grammar does not have.
      ("reject.501.5.1.3", "undeliverable here at RCPT: 501 5.1.3"),
      ("reject.550.0.r&d", "undeliverable here at RCPT: 550"),
      ("reject.501.0.o'brien", "undeliverable here at RCPT: 501"),
      ("reject.511.0.a!b", "undeliverable here at RCPT: 511"),
      ("reject.550.5.2.1", "rejected at RCPT: 550 5.2.1"),
      ("reject.550.5.1.7", "not accepted at RCPT: 550 5.1.7"),
      ("sender.550", "not accepted at RCPT: 550 5.1.8"),
      ("reject.554.5.7.1", "not accepted at RCPT: 554 5.7.1"),
      ("reject.552.5.2.2", "not accepted at RCPT: 552 5.2.2"),
      ("reject.554.0", "not accepted at RCPT: 554"), ("busy.451", "deferred at RCPT: 451 4.3.2"),
      ("busy.450.0", "deferred at RCPT: 450"), ("close", "unknown at RCPT: 421 4.3.2"),
      ("busy.454", "deferred at RCPT: 454 4.3.2"),
      ("busy.454.4.7.1", "deferred at RCPT: 454 4.7.1"), ("droprcpt", "unknown at RCPT"),
      ("command.554", "not accepted at text: 554 5.3.0"),
      ("command.451", "deferred at text: 451 4.3.0"), ("dropdata", "unknown at text"),
      ("dropend", "unknown at text"), ("datareject.552", "not accepted at text: 552 5.3.4"),
      ("datareject.550.5.1.1", "rejected at text: 550 5.1.1"),
      ("datareject.550.0", "not accepted at text: 550"),
      ("datareject.451", "deferred at text: 451 4.3.4"),
      ("datareject.421", "unknown at text: 421 4.3.4"),
    ] as [(String, String?)]
  )
  func `the reply decides, and the next mail is sent`(_ local: String, _ error: String?) throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    #expect(try mailer.send(local)?.description == error)
    #expect(try mailer.send("ada", "Subject: Next\r\n\r\n") == nil)
    while try relay.event("text").message != "Subject: Next\r\n\r\n" {}
  }

  @Test(arguments: [("hangrcpt", "RCPT"), ("hangdata", "text"), ("hangend", "text")])
  func `without a reply in time the result is unknown, and the next mail is sent`(
    _ local: String, _ step: String
  ) throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings(replyTimeout: .seconds(1)))
    #expect(try mailer.send(local)?.description == "unknown at \(step)")
    #expect(try mailer.send("ada", "Subject: Next\r\n\r\n") == nil)
    // Over a new connection: on the old one the late reply would be that to the next command.
    let events =
      try relay.events(until: "text") + (local == "hangend" ? relay.events(until: "text") : [])
    #expect(events.count { $0.event == "connect" } == 2)
    #expect(events.last?.message == "Subject: Next\r\n\r\n")
  }

  @Test func `a greylisted mail is accepted later`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    #expect(try mailer.send("grey")?.description == "deferred at RCPT: 451 4.7.1")
    #expect(try mailer.send("grey") == nil)
  }

  @Test func `a rejected recipient does not wait for the reply to QUIT`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    #expect(try mailer.send("hangquit.550")?.description == "rejected at RCPT: 550 5.1.1")
  }

  @Test func `the message arrives as it is`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    let lines = [".", "..", ".dot", "From here", String(repeating: "x", count: 76), "", "é"]
    let text = "Subject: Test\r\n\r\n" + lines.joined(separator: "\r\n") + "\r\n"
    #expect(try mailer.send("ada", text) == nil)
    #expect(try relay.event("text").message == text)
    let long = "Subject: Test\r\n\r\n" + String(repeating: "0123456789abcdef\r\n", count: 3600)
    #expect(try mailer.send("ada", long) == nil)
    #expect(try relay.event("text").message == long)
  }

  @Test func `the envelope has sender and recipient`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    #expect(try mailer.send("Ada.Lovelace+1") == nil)
    let events = try relay.events(until: "text")
    #expect(events.first { $0.event == "mail" }?.address == "list@example.com")
    #expect(events.first { $0.event == "rcpt" }?.address == "Ada.Lovelace+1@example.org")
  }

  @Test func `an international mailbox is sent with SMTPUTF8`() throws {
    let relay = try TestRelay()
    let mailer = SMTPMailer(try relay.settings())
    #expect(try mailer.send("jürgen") == nil)
    #expect(try mailer.send("ada") == nil)
    #expect(try mailer.send("jürgen") == nil)
    let events =
      try relay.events(until: "text") + relay.events(until: "text")
      + relay.events(until: "text")
    let mails = events.filter { $0.event == "mail" }.map { $0.options?.contains("SMTPUTF8") }
    #expect(mails == [true, false, true])
    #expect(events.first { $0.event == "rcpt" }?.address == "jürgen@example.org")
    #expect(events.count { $0.event == "connect" } == 1)
  }

  @Test func `an international mailbox is undeliverable without SMTPUTF8`() throws {
    let relay = try TestRelay(["--no-smtputf8"])
    let mailer = SMTPMailer(try relay.settings())
    #expect(try mailer.send("jürgen")?.description == "undeliverable here at EHLO")
    #expect(try mailer.send("ada") == nil)
    #expect(try relay.events(until: "text").count { $0.event == "mail" } == 1)
  }
}
