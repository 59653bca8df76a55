import TestSupport
import Testing

/// Tests of double opt-in with a real SMTP server, from the sign-up to leaving.
@Suite(.needsPython)
struct ConfirmByRelayTests {
  private let relay: MailRelay
  private let service: RunningService

  init() throws {
    relay = try MailRelay()
    service = try RunningService(relay.flags)
  }

  /// Signs up, and expects the mail within two seconds after the response.
  private func signUp() throws -> (id: String, mail: ReceivedMail) {
    let response = try service.signUp("ana@example.com")
    let deadline = Deadline(after: .seconds(2))
    #expect(response.status == 202)
    let mail = try #require(try relay.waitForMails(1, by: deadline).first)
    #expect(mail.recipients == ["ana@example.com"])
    return (try response.execution(), mail)
  }

  /// Opens the stream of the original tab, which waits for the confirmation.
  private func follow(_ id: String) throws -> SocketClient {
    let stream = try service.stream("/executions/\(id)/events?until=confirmed")
    #expect(try stream.readEvent()?.event == "started")
    #expect(try stream.readEvent()?.event == "completed")
    return stream
  }

  private func expectConfirmation(on stream: SocketClient) throws {
    let event = try #require(try stream.readEvent())
    #expect(event.event == "confirmed")
    #expect(event.data?.contains(#""message":"Confirmed","state":"confirmed""#) == true)
    #expect(try stream.readEvent() == nil)
  }

  @Test(
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
    let (id, mail) = try signUp()
    let stream = try follow(id)
    let confirm = try mail.link("confirm")
    let unsubscribe = try mail.link("unsubscribe")

    // Scanners open both links, and append parameters.
    for path in [confirm, unsubscribe, "\(confirm)?utm_source=x", "\(unsubscribe)?utm_source=x"] {
      for (method, field) in [("GET", "text/html"), ("HEAD", "text/html"), ("GET", "*/*")] {
        let page = try service.request(method, path, fields: ["Accept: \(field)"])
        #expect(page.status == 200, "\(method)")
      }
    }
    #expect(try service.exportedStates() == ["ana@example.com": "pending"])
    #expect(try service.storedCounts() == (1, 1))

    #expect(try service.request("POST", confirm, body: "").status == 200)
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
    try expectConfirmation(on: stream)
    #expect(try service.storedCounts() == (1, 2))

    // RFC 8058: the header fields name the link of the text, and the client sends their content.
    #expect(mail.fields["List-Unsubscribe"] == "<http://localhost\(unsubscribe)>")
    #expect(mail.fields["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
    for _ in 0..<2 {
      let left = try service.request(
        "POST", unsubscribe, fields: ["Content-Type: \(mediaType)"], body: body)
      #expect(left.status == 200)
      #expect(left["Location"] == nil)
      #expect(left["Set-Cookie"] == nil)
    }
    #expect(try service.exportedStates() == ["ana@example.com": "unsubscribed"])
    let means = try service.file.texts(
      "SELECT means FROM consents WHERE means IS NOT NULL ORDER BY id")
    #expect(means == ["link", "one-click"])
    #expect(try service.request("POST", confirm, body: "").status == 410)
    #expect(try relay.mails().count == 1)
  }

  @Test func `the code typed in the original tab confirms, and the tab follows`() throws {
    let (id, mail) = try signUp()
    let stream = try follow(id)
    let code = try mail.code()
    let response = try service.request(
      "POST",
      "/executions/\(id)/code",
      fields: [
        "Content-Type: application/x-www-form-urlencoded", "Accept: text/html",
        "Origin: http://localhost",
      ],
      body: "code=\(code.prefix(3))+\(code.suffix(3))"
    )
    #expect(response.status == 200)
    #expect(response.text.contains(#"data-state="confirmed">Confirmed ✓</span>"#))
    try expectConfirmation(on: stream)
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
    #expect(
      try service.file.texts("SELECT means FROM consents WHERE means IS NOT NULL")
        == ["code"]
    )
    // A tab that is opened afterwards sees the confirmation, too.
    try expectConfirmation(on: try follow(id))
  }
}
