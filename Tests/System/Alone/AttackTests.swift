import TestSupport
import Testing

/// Attacks on the form, which fill the machine, with a real relay behind the service.
@Suite(.needsPython)
struct AttackTests {
  private let relay: TestRelay
  private let service: Enlist
  private let client: Client

  init() throws {
    relay = try TestRelay()
    service = try Enlist(
      [
        "--mail-budget", "500/1d", "--mail-budget-per-domain", "20/1d",
        "--alarm-to", "ops@example.net", "--log-level", "info",
      ],
      relay: relay
    )
    client = try service.connect()
  }

  /// Signs an address up from a network.
  private func signUp(_ address: String, from network: String) throws -> Client.Response {
    let type = "Content-Type: application/x-www-form-urlencoded"
    try client.request(
      "POST", "/subscribers", fields: [type, "X-Forwarded-For: \(network)"],
      body: "email=\(address)")
    return try client.readResponse(to: "POST")
  }

  /// An address of its own IPv4 /24 network for each number.
  private func network(_ number: Int) -> String {
    "20.\(number / 250).\(number % 250).9"
  }

  /// Waits until as many mails have been sent and are held, and expects no more of them.
  private func waitForMails(_ count: Int, held: Double) throws {
    _ = try relay.mails(count)
    try eventually("\(held) held mails") { try service.metric("enlist_mails_held") == held }
    let mails = try relay.mails()
    #expect(mails.count == count)
  }

  @Test func `a client that signs up forty people in a moment is limited to its burst`() throws {
    let statuses = try (0..<40).map { number in
      try signUp("p\(number)@d\(number)-example.com", from: "203.0.113.5").status
    }
    #expect(statuses.prefix(30).allSatisfy { $0 == 202 }, "\(statuses)")
    #expect(statuses.suffix(5).allSatisfy { $0 == 429 }, "\(statuses)")
    try waitForMails(statuses.count { $0 == 202 }, held: 0)
  }

  @Test func `a victim gets one mail, whatever name and network the form is sent from`() throws {
    let names = ["victim", "v.ictim", "victim%2B1", "VICTIM", "vic.tim%2B2"]
    for number in 0..<2_000 {
      let address = "\(names[number % names.count])@gmail.com"
      try signUp(address, from: network(number)).expect(202)
    }
    try signUp("ana@example.org", from: network(0)).expect(202)
    try waitForMails(2, held: 0)
  }

  @Test func `an attack over many domains and networks ends with the budget`() throws {
    for number in 0..<2_000 {
      let address = "s\(number)@d\(number % 250)-example.com"
      try signUp(address, from: network(number)).expect(202)
    }
    // One of them is the alarm.
    try waitForMails(501, held: 1_500)
    let mails = try relay.mails().filter { $0.recipient != "ops@example.net" }
    #expect(Set(mails.map(\.recipient)).count == 500)

    for mail in mails.prefix(10) { try service.post(mail.link("confirm")).expect(200) }
    try waitForMails(541, held: 1_460)
    let log = try service.stop()
    #expect(log.ranges(of: "the mail budget is spent").count == 1)
    #expect(!log.contains("@d"))
  }
}
