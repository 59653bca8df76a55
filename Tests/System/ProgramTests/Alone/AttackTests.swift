import Foundation
import TestSupport
import Testing

/// Attacks on the form, and crowds that look like attacks, with a real relay behind the service.
@Suite(.needsPython)
struct AttackTests {
  private let relay: MailRelay
  private let service: RunningService
  private let client: SocketClient

  init() throws {
    relay = try MailRelay()
    let budgets = ["--mail-budget", "500/1d", "--mail-budget-per-domain", "20/1d"]
    service = try RunningService(relay.flags + budgets + ["--alarm-to", "ops@example.net"])
    client = try service.connect()
  }

  /// Signs an address up from a network.
  private func signUp(_ address: String, from client: String) throws -> Int {
    let fields = [
      "Content-Type: application/x-www-form-urlencoded", "X-Forwarded-For: \(client)",
    ]
    try self.client.request("POST", "/subscribers", fields: fields, body: "email=\(address)")
    return try self.client.readResponse(to: "POST").status
  }

  /// An address of its own IPv4 /24 network for each number.
  private func network(_ number: Int) -> String {
    "20.\(number / 250).\(number % 250).9"
  }

  private func confirm(_ mails: some Sequence<ReceivedMail>) throws {
    for mail in mails {
      let link = try mail.text.firstLink("confirm")
      #expect(try service.request("POST", link, body: "").status == 200)
    }
  }

  /// Waits until as many mails have been sent and are held.
  private func waitForMails(_ count: Int, held: Double) throws {
    try Deadline.soon.wait { try relay.mails().count >= count }
    try Deadline.soon.wait { try service.metric("enlist_mails_held") == held }
    #expect(try relay.mails().count == count)
  }

  @Test func `no mail of a quiet day is held`() throws {
    for number in 0..<200 {
      let domain = number.isMultiple(of: 2) ? "gmail.com" : "d\(number % 40)-example.com"
      #expect(try signUp("p\(number)@\(domain)", from: network(number)) == 202)
    }
    try waitForMails(200, held: 0)
    try confirm(try relay.mails().prefix(120))
  }

  @Test func `a client that signs up forty people in a moment is limited to its burst`() throws {
    let statuses = try (0..<40).map { number in
      try signUp("p\(number)@d\(number)-example.com", from: "203.0.113.5")
    }
    #expect(statuses.prefix(30).allSatisfy { $0 == 202 })
    #expect(statuses.suffix(5).allSatisfy { $0 == 429 })
    try waitForMails(statuses.count { $0 == 202 }, held: 0)
  }

  @Test func `a victim gets one mail, whatever name and network the form is sent from`() throws {
    let names = ["victim", "v.ictim", "victim%2B1", "VICTIM", "vic.tim%2B2"]
    for number in 0..<2_000 {
      let address = "\(names[number % names.count])@gmail.com"
      #expect(try signUp(address, from: network(number)) == 202)
    }
    #expect(try signUp("ana@example.org", from: network(0)) == 202)
    try waitForMails(2, held: 0)
  }

  @Test func `an attack over many domains and networks ends with the budget`() throws {
    for number in 0..<2_000 {
      let address = "s\(number)@d\(number % 250)-example.com"
      #expect(try signUp(address, from: network(number)) == 202)
    }
    // One of them is the alarm.
    try waitForMails(501, held: 1_500)
    let mails = try relay.mails().filter { $0.recipient != "ops@example.net" }
    #expect(Set(mails.map(\.recipient)).count == 500)

    try confirm(mails.prefix(10))
    try waitForMails(541, held: 1_460)
    let log = try service.endAndReadLog()
    #expect(log.components(separatedBy: "the mail budget is spent").count == 2)
    #expect(!log.contains("@d"))
  }
}
