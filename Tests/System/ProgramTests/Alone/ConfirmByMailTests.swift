import Foundation
import TestSupport
import Testing

/// Tests of double opt-in from the sign-up to leaving, with mails that become files.
@Suite struct ConfirmByMailTests {
  @Test func `the owner of an address confirms by the link of a mail, and leaves`() throws {
    let service = try RunningService(RunningService.mailFlags)
    #expect(try service.signUp("ana@example.com").status == 202)
    #expect(try service.exportedStates() == ["ana@example.com": "pending"])

    let mail = try #require(try service.waitForMails(1).first)
    #expect(mail.contains("\nTo: ana@example.com\n"))
    #expect(mail.hasPrefix("From: News <news@example.org>\n"))
    #expect(mail.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click\n"))

    // Opening the link changes nothing, however often and by whatever program.
    let confirm = try mail.firstLink("confirm")
    for method in ["GET", "HEAD", "GET"] {
      let page = try service.request(method, confirm, fields: ["Accept: text/html"])
      #expect(page.status == 200)
      #expect(page["Referrer-Policy"] == "no-referrer")
      if method == "GET" { #expect(page.text.contains("<form")) }
    }
    #expect(try service.exportedStates() == ["ana@example.com": "pending"])

    // The button can be pressed twice.
    for _ in 0..<2 {
      let confirmed = try service.request("POST", confirm, body: "")
      #expect(confirmed.status == 200)
      #expect(confirmed.text == #"{"state":"subscribed"}"#)
    }
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])

    let unsubscribe = try mail.firstLink("unsubscribe")
    #expect(try service.request("GET", unsubscribe).status == 200)
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
    #expect(try service.leaveByOneClick(unsubscribe).status == 200)
    #expect(try service.exportedStates() == ["ana@example.com": "unsubscribed"])
    #expect(try service.request("POST", confirm, body: "").status == 410)
  }

  @Test(arguments: ["generated", String(repeating: "Qk1F", count: 11)])
  func `links survive the loss of the secret`(_ secret: String) throws {
    let service = try RunningService(RunningService.mailFlags + RunningService.openMetricsFlags)
    #expect(try service.signUp("ana@example.com").status == 202)
    let mail = try #require(try service.waitForMails(1).first)
    // Otherwise the next run would send the mail again, with other links.
    try service.waitUntilOutboxIsEmpty()
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    let secrets = try SQLiteFile(service.database).rows("DELETE FROM secret RETURNING id")
    #expect(secrets.count == 1)

    let next = try RunningService(
      RunningService.mailFlags + ["--secret", secret], in: service.folder)
    let confirm = try mail.firstLink("confirm")
    #expect(try next.request("GET", confirm).status == 200)
    #expect(try next.request("POST", confirm, body: "").text == #"{"state":"subscribed"}"#)
    #expect(try next.exportedStates() == ["ana@example.com": "subscribed"])
    let unsubscribe = try mail.firstLink("unsubscribe")
    #expect(try next.request("POST", unsubscribe, body: "").status == 200)
    #expect(try next.exportedStates() == ["ana@example.com": "unsubscribed"])
    #expect(try next.mails() == [mail])
  }

  @Test func `the code of a mail confirms, and a wrong one does not`() throws {
    let service = try RunningService(RunningService.mailFlags)
    let id = try service.signUp("ana@example.com").execution()
    let mail = try #require(try service.waitForMails(1).first)
    let code = String(try #require(mail.firstMatch(of: /\n(\d{6})\n/)?.output.1))
    let wrong = try service.type(code == "000000" ? "000001" : "000000", for: id)
    #expect(wrong.status == 422)
    #expect(wrong.text.contains(#""triesLeft":4"#))
    #expect(try service.exportedStates() == ["ana@example.com": "pending"])
    #expect(try service.type(code, for: id).status == 200)
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
  }

  @Test func `the log contains no address, no link and no code`() throws {
    let service = try RunningService(
      RunningService.mailFlags + ["--log-level", "trace", "--drain", "0s"])
    #expect(try service.signUp("secretive@example.com").status == 202)
    let mail = try #require(try service.waitForMails(1).first)
    let confirm = try mail.firstLink("confirm")
    let unsubscribe = try mail.firstLink("unsubscribe")
    let code = try #require(mail.firstMatch(of: /\n(\d{6})\n/)?.output.1)
    #expect(try service.request("POST", confirm, body: "").status == 200)
    #expect(try service.request("POST", unsubscribe, body: "").status == 200)
    let log = try service.endAndReadLog()
    #expect(log.contains("opt-in=double"))
    #expect(log.contains(#"opt-in-reason="--mail-to-directory is set""#))
    #expect(log.contains("mails sent: 1"))
    let secrets = ["secretive", String(confirm.suffix(43)), String(unsubscribe.suffix(43))]
    for text in secrets + [String(code)] {
      #expect(!log.contains(text))
    }
  }

  @Test func `single opt-in sends no mail although a directory is set`() throws {
    let service = try RunningService(RunningService.mailFlags + ["--opt-in", "single"])
    #expect(try service.signUp("ana@example.com").status == 202)
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
    #expect(try service.mails().isEmpty)
    #expect(try service.request("GET", "/readyz").status == 200)
  }

  @Test func `mails wait while the relay is unavailable, and the service stays ready`() throws {
    let relay = try LocalListener(refuses: true)
    let service = try RunningService(MailRelay.flags(port: relay.port))
    for number in 0..<3 { #expect(try service.signUp("p\(number)@example.com").status == 202) }
    try Deadline.soon.wait { try service.metric("enlist_relay_paused") == 1 }
    let ready = try service.request("GET", "/readyz")
    #expect(ready.status == 200)
    #expect(ready.text == #"{"status":"ready"}"#)
    #expect(try service.metric("enlist_outbox_messages") == 3)
    let log = try service.endAndReadLog()
    #expect(log.contains("no mail is sent until the relay is available"))
    #expect(log.contains("relay unavailable at connect"))
    #expect(log.contains("relay=127.0.0.1:\(relay.port)"))
  }

  @Test func `a relay that says nothing does not delay the exit beyond the drain time`() throws {
    let relay = try LocalListener()
    let service = try RunningService([
      "--smtp-url", "smtp://127.0.0.1:\(relay.port)", "--mail-from", "news@example.org",
      "--public-url", "http://localhost", "--drain", "1s",
    ])
    #expect(try service.signUp("ana@example.com").status == 202)
    let conversation = try relay.accept()
    defer { conversation.close() }
    service.process.send(signal: SIGTERM)
    // The drain time and three seconds.
    #expect(try service.process.wait(by: Deadline(after: .seconds(4))) == .exit(0))
    // The mail is not lost: the next start sends it.
    let next = try RunningService(RunningService.mailFlags, in: service.folder)
    #expect(try next.waitForMails(1).count == 1)
  }
}
