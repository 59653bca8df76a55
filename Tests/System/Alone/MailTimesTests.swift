import Glibc
import TestSupport
import Testing

/// Tests of mails and a relay, in which something must happen within seconds.
@Suite(.needsPython)
struct MailTimesTests {
  @Test func `a mail leaves within two seconds after the sign-up`() throws {
    let relay = try TestRelay()
    let service = try Enlist(relay: relay)
    try service.signUp("ana@example.com").expect(202)
    let mails = try relay.mails(1, within: .seconds(2))
    #expect(mails.map(\.recipients) == [["ana@example.com"]])
  }

  @Test func `sign-ups do not wait for a relay that is slow`() throws {
    let relay = try TestRelay()
    let service = try Enlist(relay: relay)
    // Each mail takes 300 ms, two at a time: together 3 s.
    let addresses = (10..<30).map { "slow.300.\($0)@example.com" }
    for address in addresses { try service.signUp(address).expect(202) }
    let waiting = try service.metric("enlist_outbox_messages") ?? 0
    #expect(waiting > 0)
    let early = try relay.mails()
    #expect(early.count < addresses.count)
    try service.waitUntilOutboxIsEmpty()
    let recipients = try relay.mails().map(\.recipient).sorted()
    #expect(recipients == addresses)
  }

  @Test(arguments: ["greeting", "ehlo", "mail", "rcpt", "data", "end"])
  func `a relay that stops replying does not delay the exit, and the next process sends the mail`(
    _ step: String
  ) throws {
    let hanging = try TestRelay(["--reply", "\(step)=hang"])
    let service = try Enlist(["--drain", "1s"], relay: hanging)
    try service.signUp("ana@example.com").expect(202)
    try hanging.event("hang")
    // The drain time and three seconds.
    let end = try service.process.wait(after: SIGTERM, within: .seconds(4))
    #expect(end == .exit(0))

    let relay = try TestRelay()
    let next = try Enlist(in: service.folder, relay: relay)
    let mail = try #require(try relay.mails(1).first)
    #expect(mail.recipient == "ana@example.com")
    try next.post(mail.link("confirm")).expect(200)
    // The first relay may have accepted what it did not reply to; then there are two equal mails.
    if let first = try hanging.mails().first {
      #expect(step == "end")
      #expect(first.messageID == mail.messageID)
      #expect(first.code == mail.code)
    }
  }
}
