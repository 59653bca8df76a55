import Foundation
import Glibc
import MailingList
import TestSupport
import Testing

/// The budgets of domains and of all mails, against a real relay.
@Suite(.needsPython)
struct HeldMailTests {
  /// Signs addresses up over five connections.
  private func signUp(_ addresses: [String], at service: RunningService) throws {
    let clients = try (0..<5).map { _ in try service.connect() }
    let fields = ["Content-Type: application/x-www-form-urlencoded"]
    for start in stride(from: 0, to: addresses.count, by: clients.count) {
      let part = zip(clients, addresses[start...])
      for (client, address) in part {
        try client.request("POST", "/subscribers", fields: fields, body: "email=\(address)")
      }
      for (client, _) in part { #expect(try client.readResponse(to: "POST").status == 202) }
    }
  }

  private func confirm(_ address: String, _ relay: MailRelay, _ service: RunningService) throws {
    let mail = try #require(try relay.mails().first { $0.recipient == address })
    let link = try mail.text.firstLink("confirm")
    #expect(try service.request("POST", link, body: "").status == 200)
  }

  private func held(_ arguments: [String] = [], in folder: TemporaryFolder) throws -> String {
    try CommandRun(["held"] + arguments, in: folder).output
  }

  /// Returns what a line has in common with others of the same kind.
  private func shape(of line: String) -> String {
    line.replacing(/^[0-9]+\t[0-9T:.-]+Z\t[0-9.]+\t[^\t]+\t.*/, with: "hour")
      .replacing(/[0-9]+/, with: "N")
  }

  @Test func `five clients cause twenty mails to a domain, and others get theirs`() throws {
    let relay = try MailRelay()
    let folder = try TemporaryFolder()
    let flags = relay.flags + ["--mail-budget", "500/1d", "--mail-budget-per-domain", "20/1d"]
    var service = try RunningService(flags, in: folder)
    let strangers = (10..<160).map { "p\($0)@victim.example.com" }
    let people = (0..<10).map { "ana@d\($0)-example.com" } + ["ana@gmail.com", "bea@gmail.com"]
    try signUp(strangers + people, at: service)
    try Deadline.soon.wait { try relay.mails().count >= 32 }
    try Deadline.soon.wait { try service.metric("enlist_mails_held") == 130 }
    #expect(try relay.mails().count { $0.recipient.hasSuffix("@victim.example.com") } == 20)
    #expect(Set(try relay.mails().map(\.recipient)).isSuperset(of: people))
    // A mail that the relay has accepted is sent again if the process ends before that is stored.
    try Deadline.soon.wait { try service.metric("enlist_outbox_messages") == 0 }

    // The end of the process loses no held mail, and sends none.
    service.process.send(signal: SIGKILL)
    _ = try service.process.wait()
    service = try RunningService(flags, in: folder)
    let first = try #require(try relay.mails().first { $0.recipient.hasPrefix("p") }).recipient
    try confirm(first, relay, service)
    try Deadline.soon.wait { try relay.mails().count >= 36 }
    try Deadline.soon.wait { try service.metric("enlist_mails_held") == 126 }
    #expect(try relay.mails().count == 36)

    let hour = try held(in: folder)
    #expect(hour.hasPrefix("126\t"))
    #expect(hour.contains("\t127.0.0.0\t-\t"))
    let dropped = try held(["drop", "--network", "192.0.2.0/24"], in: folder)
    #expect(dropped == "dropped 0 mails\n")
    #expect(try held(["drop", "--until", "1h"], in: folder) == "dropped 0 mails\n")
    let released = try held(["release", "--since", "1h"], in: folder)
    #expect(released == "released 126 mails\n")
    let example = try #require(try Document("docs/mail.md").examples.first)
    let documented = example.output.filter { !$0.hasPrefix("$ ") }
    let printed = (hour + dropped + released).split(separator: "\n").map(String.init)
    #expect(Set(documented.map(shape)) == Set(printed.map(shape)))
    // Any sign-up wakes the delivery, which otherwise looks once a minute.
    try signUp(["eve@d0-example.com"], at: service)
    try Deadline(after: .seconds(30)).wait { try relay.mails().count >= 163 }
    #expect(Set(try relay.mails().map(\.recipient)).count == 163)
    #expect(try held(in: folder).isEmpty)
    #expect(try service.endAndReadLog().contains("mails held because a budget is spent"))
  }

  @Test func `a spent budget holds all mails, tells the operator, and opens again`() throws {
    let relay = try MailRelay()
    let service = try RunningService(
      relay.flags + ["--mail-budget", "5/1d", "--alarm-to", "ops@example.net"])
    let people = (0..<20).map { "ana@d\($0)-example.com" }
    try signUp(people, at: service)
    try Deadline.soon.wait { try relay.mails().count >= 6 }
    try Deadline.soon.wait { try service.metric("enlist_mails_held") == 15 }
    #expect(try relay.mails().count == 6)
    #expect(try service.metric("enlist_mail_strain") == 1)
    let heldPeople = try people.map { try CommandRun(["show", $0], in: service.folder).output }
      .count { $0.contains(#""mails":{"waiting":[{"kind":"confirm","#) }
    #expect(heldPeople == 15)
    let alarm = try #require(try relay.mails().first { $0.recipient == "ops@example.net" })
    #expect(alarm.text.contains("enlist held release"))
    #expect(!alarm.text.contains("ana@"))

    for mail in try relay.mails() where mail.recipient != "ops@example.net" {
      try confirm(mail.recipient, relay, service)
    }
    try Deadline.soon.wait { try relay.mails().count >= 21 }
    #expect(Set(try relay.mails().map(\.recipient)).isSuperset(of: people))
    #expect(try relay.mails().count { $0.recipient == "ops@example.net" } == 1)
    let log = try service.endAndReadLog()
    #expect(log.contains("the mail budget is spent"))
    #expect(log.contains("the mail budget has room again"))
  }
}
