import Glibc
import TestSupport
import Testing

/// Tests of double opt-in from the sign-up to leaving, with mails that become files, and with a
/// real SMTP server.
@Suite struct ConfirmByMailTests {
  @Test func `the owner of an address confirms by the link of a mail, and leaves`() throws {
    let service = try Enlist(.mail)
    try service.signUp("ana@example.com").expect(202)
    try service.expectState("pending")

    let mail = try #require(try service.mails(1).first)
    #expect(mail.contains("\nTo: ana@example.com\n"))
    #expect(mail.hasPrefix("From: News <news@example.org>\n"))
    #expect(mail.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click\n"))

    // Opening the link changes nothing, however often and by whatever program.
    let confirm = try mail.link("confirm")
    for method in ["GET", "HEAD", "GET"] {
      let page = try service.send(method, confirm, fields: ["Accept: text/html"]).expect(200)
      #expect(page["Referrer-Policy"] == "no-referrer")
      if method == "GET" { #expect(page.text.contains("<form")) }
    }
    try service.expectState("pending")

    // The button can be pressed twice.
    for _ in 0..<2 {
      let confirmed = try service.post(confirm).expect(200)
      #expect(confirmed.text == #"{"state":"subscribed"}"#)
    }
    try service.expectState("subscribed")

    let unsubscribe = try mail.link("unsubscribe")
    try service.get(unsubscribe).expect(200)
    try service.expectState("subscribed")
    try service.leaveByOneClick(unsubscribe).expect(200)
    try service.expectState("unsubscribed")
    try service.post(confirm).expect(410)

    let log = try service.stop()
    #expect(log.contains("opt-in=double"))
    #expect(log.contains(#"opt-in-reason="--mail-to-directory is set""#))
    #expect(log.contains("mails sent: 1"))
  }

  @Test(arguments: ["generated", String(repeating: "Qk1F", count: 11)])
  func `links survive the loss of the secret`(_ secret: String) throws {
    let service = try Enlist(.mail + .openMetrics)
    try service.signUp("ana@example.com").expect(202)
    let mail = try #require(try service.mails(1).first)
    // Otherwise the next run would send the mail again, with other links.
    try service.waitUntilOutboxIsEmpty()
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
    let secrets = try SQLiteFile(service.database).rows("DELETE FROM secret RETURNING id")
    #expect(secrets.count == 1)

    let next = try Enlist(.mail + ["--secret", secret], in: service.folder)
    let confirm = try mail.link("confirm")
    try next.get(confirm).expect(200)
    let confirmed = try next.post(confirm).expect(200)
    #expect(confirmed.text == #"{"state":"subscribed"}"#)
    try next.expectState("subscribed")
    try next.post(mail.link("unsubscribe")).expect(200)
    try next.expectState("unsubscribed")
    let mails = try next.mails()
    #expect(mails == [mail])
  }

  @Test func `the code of a mail confirms, and a wrong one does not`() throws {
    let service = try Enlist(.mail)
    let id = try service.signUp("ana@example.com").expect(202).execution
    let mail = try #require(try service.mails(1).first)
    let wrong = try service.type(mail.wrongCode, for: id).expect(422)
    #expect(wrong.text.contains(#""triesLeft":4"#), "\(wrong)")
    try service.expectState("pending")
    try service.type(mail.code, for: id).expect(200)
    try service.expectState("subscribed")
  }

  @Test func `single opt-in sends no mail although a directory is set`() throws {
    let service = try Enlist(.mail + ["--opt-in", "single"])
    try service.signUp("ana@example.com").expect(202)
    try service.expectState("subscribed")
    let mails = try service.mails()
    #expect(mails.isEmpty)
    try service.get("/readyz").expect(200)
  }

  // MARK: A relay

  @Test(
    .needsPython,
    arguments: [
      ("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"),
      (
        "multipart/form-data; boundary=b",
        "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n"
      ),
    ]
  )
  func `a link confirms when its button is pressed, and one click in a mail program ends it`(
    _ mediaType: String, _ body: String
  ) throws {
    let relay = try TestRelay()
    let service = try Enlist(relay: relay)
    let (id, mail) = try service.signUp(by: relay)
    let stream = try service.follow(id)
    let confirm = try mail.link("confirm")
    let unsubscribe = try mail.link("unsubscribe")

    // Scanners open both links, and append parameters.
    for path in [confirm, unsubscribe, "\(confirm)?utm_source=x", "\(unsubscribe)?utm_source=x"] {
      for (method, field) in [("GET", "text/html"), ("HEAD", "text/html"), ("GET", "*/*")] {
        try service.send(method, path, fields: ["Accept: \(field)"]).expect(200)
      }
    }
    try service.expectState("pending")
    try service.expectConsents(1)

    try service.post(confirm).expect(200)
    try service.expectState("subscribed")
    try stream.expectConfirmation()
    try service.expectConsents(2)

    // RFC 8058: the header fields name the link of the text, and the client sends their content.
    #expect(mail.fields["List-Unsubscribe"] == "<http://localhost\(unsubscribe)>")
    #expect(mail.fields["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
    for _ in 0..<2 {
      let left = try service.send(
        "POST", unsubscribe, fields: ["Content-Type: \(mediaType)"], body: body
      ).expect(200)
      #expect(left["Location"] == nil)
      #expect(left["Set-Cookie"] == nil)
    }
    try service.expectState("unsubscribed")
    try service.expectMeans(["link", "one-click"])
    try service.post(confirm).expect(410)
    let mails = try relay.mails()
    #expect(mails.count == 1)
  }

  @Test(.needsPython)
  func `the code typed in the original tab confirms, and the tab follows`() throws {
    let relay = try TestRelay()
    let service = try Enlist(relay: relay)
    let (id, mail) = try service.signUp(by: relay)
    let stream = try service.follow(id)
    let code = mail.code
    let response = try service.post(
      "/executions/\(id)/code", form: "code=\(code.prefix(3))+\(code.suffix(3))",
      fields: ["Accept: text/html", "Origin: http://localhost"]
    ).expect(200)
    #expect(
      response.text.contains(#"data-state="confirmed">Confirmed ✓</span>"#), "\(response.text)")
    try stream.expectConfirmation()
    try service.expectState("subscribed")
    try service.expectMeans(["code"])
    // A tab that is opened afterwards sees the confirmation, too.
    try service.follow(id).expectConfirmation()
  }
}

extension Enlist {
  /// Signs Ana up, and waits for her mail.
  fileprivate func signUp(by relay: TestRelay) throws -> (id: String, mail: Mail) {
    let id = try signUp("ana@example.com").expect(202).execution
    let mail = try #require(try relay.mails(1).first)
    #expect(mail.recipients == ["ana@example.com"])
    return (id, mail)
  }

  /// Opens the stream of the original tab, which waits for the confirmation.
  fileprivate func follow(_ id: String) throws -> Client {
    let stream = try stream("/executions/\(id)/events?until=confirmed")
    let names = try stream.readEventNames(2)
    #expect(names == ["started", "completed"])
    return stream
  }

  /// Expects that Ana is the only one on the list.
  fileprivate func expectState(
    _ state: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let people = try people()
    #expect(people == ["ana@example.com": state], sourceLocation: sourceLocation)
  }

  /// Expects one person with a number of consents.
  fileprivate func expectConsents(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let counts = try storedCounts()
    #expect(counts == (1, count), "\(counts)", sourceLocation: sourceLocation)
  }

  /// Expects by what the consents after the sign-up were given.
  fileprivate func expectMeans(
    _ wanted: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let means = try file.texts("SELECT means FROM consents WHERE means IS NOT NULL ORDER BY id")
    #expect(means == wanted, sourceLocation: sourceLocation)
  }
}

extension Client {
  /// Expects the confirmation, and the end of the stream.
  fileprivate func expectConfirmation() throws {
    let event = try #require(try readEvent())
    #expect(event.event == "confirmed")
    #expect(event.data?.contains(#""message":"Confirmed","state":"confirmed""#) == true, "\(event)")
    let next = try readEvent()
    #expect(next == nil)
  }
}
