import Glibc
import TestSupport
import Testing

/// The budgets of domains and of all mails, against a real relay.
@Suite(.needsPython)
struct HeldMailTests {
  private let relay: TestRelay

  init() throws {
    relay = try TestRelay()
  }

  /// Signs addresses up over five connections.
  private func signUp(_ addresses: [String], at service: Enlist) throws {
    let clients = try (0..<5).map { _ in try service.connect() }
    for start in stride(from: 0, to: addresses.count, by: clients.count) {
      let part = zip(clients, addresses[start...])
      for (client, address) in part { try client.sendSignUp(of: address) }
      for (client, _) in part { try client.readResponse(to: "POST").expect(202) }
    }
  }

  /// Waits until as many mails have been sent and are held, and expects no more of them.
  private func waitForMails(_ count: Int, held: Double, _ service: Enlist) throws {
    _ = try relay.mails(count)
    try eventually("\(held) held mails") { try service.metric("enlist_mails_held") == held }
    let mails = try relay.mails()
    #expect(mails.count == count)
  }

  /// Returns what a line has in common with others of the same kind.
  private func shape(of line: String) -> String {
    line.replacing(/^[0-9]+\t[0-9T:.-]+Z\t[0-9.]+\t[^\t]+\t.*/, with: "hour")
      .replacing(/[0-9]+/, with: "N")
  }

  @Test func `five clients cause twenty mails to a domain, and others get theirs`() throws {
    let service = try Enlist(
      ["--mail-budget", "500/1d", "--mail-budget-per-domain", "20/1d"], relay: relay)
    let strangers = (10..<160).map { "p\($0)@victim.example.com" }
    let people = (0..<10).map { "ana@d\($0)-example.com" } + ["ana@gmail.com", "bea@gmail.com"]
    try signUp(strangers + people, at: service)
    try waitForMails(32, held: 130, service)
    let recipients = try relay.mails().map(\.recipient)
    let victims = recipients.filter { $0.hasSuffix("@victim.example.com") }
    #expect(victims.count == 20)
    #expect(Set(recipients).isSuperset(of: people), "\(recipients)")
    // A mail that the relay has accepted is sent again if the process ends before that is stored.
    try service.waitUntilOutboxIsEmpty()

    // The end of the process loses no held mail, and sends none.
    try service.restart(after: SIGKILL)
    let first = try #require(try relay.mails().first { $0.recipient.hasPrefix("p") })
    try service.post(first.link("confirm")).expect(200)
    try waitForMails(36, held: 126, service)

    let hour = try service.run("held").output
    #expect(hour.hasPrefix("126\t"))
    #expect(hour.contains("\t127.0.0.0\t-\t"))
    let dropped = try service.run("held", "drop", "--network", "192.0.2.0/24").output
    #expect(dropped == "dropped 0 mails\n")
    let recent = try service.run("held", "drop", "--until", "1h").output
    #expect(recent == "dropped 0 mails\n")
    let released = try service.run("held", "release", "--since", "1h").output
    #expect(released == "released 126 mails\n")
    let example = try #require(try Document("docs/mail.md").examples.first)
    let documented = example.output.filter { !$0.hasPrefix("$ ") }
    let printed = (hour + dropped + released).split(separator: "\n").map(String.init)
    #expect(Set(documented.map(shape)) == Set(printed.map(shape)))
    // Any sign-up wakes the delivery, which otherwise looks once a minute.
    try signUp(["eve@d0-example.com"], at: service)
    let all = Set(try relay.mails(163).map(\.recipient))
    #expect(all.count == 163)
    let rest = try service.run("held").output
    #expect(rest.isEmpty)
    let log = try service.stop()
    #expect(log.contains("mails held because a budget is spent"))
  }

  @Test func `a spent budget holds all mails, tells the operator, and opens again`() throws {
    let service = try Enlist(
      ["--mail-budget", "5/1d", "--alarm-to", "ops@example.net"], relay: relay)
    let people = (0..<20).map { "ana@d\($0)-example.com" }
    try signUp(people, at: service)
    try waitForMails(6, held: 15, service)
    let strain = try service.metric("enlist_mail_strain")
    #expect(strain == 1)
    let heldPeople = try people.filter { address in
      try service.run("show", address).output
        .contains(#""mails":{"waiting":[{"kind":"confirm","#)
    }
    #expect(heldPeople.count == 15)
    let mails = try relay.mails()
    let alarm = try #require(mails.first { $0.recipient == "ops@example.net" })
    #expect(alarm.text.contains("enlist held release"))
    #expect(!alarm.text.contains("ana@"))

    for mail in mails where mail.recipient != "ops@example.net" {
      try service.post(mail.link("confirm")).expect(200)
    }
    let recipients = try relay.mails(21).map(\.recipient)
    #expect(Set(recipients).isSuperset(of: people), "\(recipients)")
    #expect(recipients.count { $0 == "ops@example.net" } == 1)
    let log = try service.stop()
    #expect(log.contains("the mail budget is spent"))
    #expect(log.contains("the mail budget has room again"))
  }

  @Test func `no mail of a quiet day is held`() throws {
    let service = try Enlist(
      [
        "--mail-budget", "500/1d", "--mail-budget-per-domain", "20/1d",
        "--alarm-to", "ops@example.net",
      ],
      relay: relay
    )
    let client = try service.connect()
    for number in 0..<200 {
      let domain = number.isMultiple(of: 2) ? "gmail.com" : "d\(number % 40)-example.com"
      // Each comes from a network of its own.
      let fields = ["X-Forwarded-For: 20.0.\(number).9"]
      try client.sendSignUp(of: "p\(number)@\(domain)", fields: fields)
      try client.readResponse(to: "POST").expect(202)
    }
    try waitForMails(200, held: 0, service)
    for mail in try relay.mails().prefix(120) {
      try service.post(mail.link("confirm")).expect(200)
    }
  }
}
