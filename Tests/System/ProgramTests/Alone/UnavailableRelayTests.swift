import Glibc
import TestSupport
import Testing

/// Tests of mails while their relay, or the process that sends them, is unavailable or slow.
@Suite(.needsPython)
struct UnavailableRelayTests {
  @Test func `mails wait for a relay that is away at startup, and leave when it is back`() throws {
    let relay = try MailRelay(["--away"])
    let service = try RunningService(relay.flags)
    let addresses = (0..<5).map { "p\($0)@example.com" }
    for address in addresses { #expect(try service.signUp(address).status == 202) }
    try Deadline.soon.wait { try service.metric("enlist_relay_paused") == 1 }
    #expect(try service.metric("enlist_outbox_messages") == 5)
    #expect(try relay.mails().isEmpty)

    relay.comeBack()
    // The pause doubles with each attempt until then.
    try service.waitUntilOutboxIsEmpty(by: Deadline(after: .seconds(30)))
    #expect(try relay.mails().map(\.recipient).sorted() == addresses)
    #expect(try service.metric("enlist_relay_paused") == 0)
    #expect(try service.endAndReadLog().contains("the relay is available, mail is sent again"))
  }

  @Test func `show prints the relay's last reply to a mail that waits`() throws {
    let relay = try MailRelay()
    let service = try RunningService(relay.flags)
    #expect(try service.signUp("busy.451@example.com").status == 202)
    var output = ""
    try Deadline.soon.wait(orThrow: .malformed(output)) {
      output = try CommandRun(["show", "busy.451@example.com"], in: service.folder).output
      return output.contains(#""attempts":1"#)
    }
    #expect(output.contains(#""last_error":"deferred at RCPT: 451 4.3.2"#), "\(output)")
  }

  @Test func `sign-ups do not wait for a relay that is slow`() throws {
    let relay = try MailRelay()
    let service = try RunningService(relay.flags)
    // Each mail takes 300 ms, two at a time: together 3 s.
    let addresses = (10..<30).map { "slow.300.\($0)@example.com" }
    for address in addresses { #expect(try service.signUp(address).status == 202) }
    #expect(try service.metric("enlist_outbox_messages") ?? 0 > 0)
    #expect(try relay.mails().count < addresses.count)
    try service.waitUntilOutboxIsEmpty(by: Deadline(after: .seconds(30)))
    #expect(try relay.mails().map(\.recipient).sorted() == addresses)
  }

  @Test func `a process sends nothing while another one has the lock of the database's relay`()
    throws
  {
    let relay = try MailRelay()
    let folder = try TemporaryFolder()
    let path = folder.path(of: "enlist.sqlite-relay")
    let other = try ChildProcess(through: [
      "flock", "--no-fork", path, "sh", "-c", "echo locked; exec sleep 600",
    ])
    try #require(try other.readLine() == "locked", "\(other.standardError)")
    let service = try RunningService(relay.flags, in: folder)
    #expect(try service.signUp("ana@example.com").status == 202)
    try Deadline.soon.wait { try service.metric("enlist_relay_elsewhere") == 1 }
    // The lock is tried again once a second.
    Deadline(after: .milliseconds(1500)).pass()
    #expect(try relay.mails().isEmpty)
    #expect(try service.metric("enlist_outbox_messages") == 1)

    other.send(signal: SIGKILL)
    #expect(try other.wait() == .signal(SIGKILL))
    #expect(try relay.waitForMails(1).map(\.recipient) == ["ana@example.com"])
    try service.waitUntilOutboxIsEmpty()
    #expect(try service.metric("enlist_relay_elsewhere") == 0)
    #expect(try relay.mails().count == 1)
  }

  @Test func `of two processes on one database one sends, and the other takes over at its death`()
    throws
  {
    let relay = try MailRelay()
    let first = try RunningService(relay.flags(run: 1))
    let addresses = (10..<22).map { "slow.300.\($0)@example.com" }
    for address in addresses { #expect(try first.signUp(address).status == 202) }
    _ = try relay.waitForMails(1)
    // A supervisor starts it again until it gets the database.
    let second = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0"] + relay.flags(run: 2), in: first.folder)
    #expect(try second.wait() == .exit(1))
    #expect(second.standardError.contains("is in use by another"))
    first.process.send(signal: SIGKILL)
    #expect(try first.process.wait() == .signal(SIGKILL))
    #expect(try relay.mails().allSatisfy { $0.run == 1 })

    let successor = try RunningService(relay.flags(run: 2), in: first.folder)
    try successor.waitUntilOutboxIsEmpty(by: Deadline(after: .seconds(30)))
    let mails = DoubledMails(try relay.mails())
    #expect(mails.copies.keys.sorted() == addresses)
    try mails.expectAtMostOne()
  }

  @Test(arguments: ["greeting", "ehlo", "mail", "rcpt", "data", "end"])
  func `a relay that stops replying does not delay the exit, and the next process sends the mail`(
    _ step: String
  ) throws {
    let hanging = try TestRelay(["--reply", "\(step)=hang"])
    let service = try RunningService(MailRelay.flags(port: hanging.port) + ["--drain", "1s"])
    #expect(try service.signUp("ana@example.com").status == 202)
    let events = try hanging.events(until: "hang")
    service.process.send(signal: SIGTERM)
    // The drain time and three seconds.
    #expect(try service.process.wait(by: Deadline(after: .seconds(4))) == .exit(0))

    let relay = try MailRelay()
    let next = try RunningService(relay.flags, in: service.folder)
    let mail = try #require(try relay.waitForMails(1).first)
    #expect(mail.recipient == "ana@example.com")
    #expect(try next.request("POST", mail.link("confirm"), body: "").status == 200)
    // The first relay may have accepted what it did not reply to; then there are two equal mails.
    if let text = events.last(where: { $0.event == "text" })?.message {
      #expect(step == "end")
      #expect(text.contains("Message-ID: \(mail.messageID)"))
      #expect(text.contains(try mail.code()))
    }
  }
}
