import TestSupport
import Testing

/// Tests that the log of mail identifies nobody, whatever the relay replies.
@Suite(.needsPython)
struct MailPrivacyTests {
  @Test(arguments: ["text", "json"])
  func `the log contains no address, token or code`(_ format: String) throws {
    let relay = try MailRelay()
    let service = try RunningService(
      relay.flags + ["--log-level", "trace", "--log-format", format, "--drain", "0s"])
    var secrets = ["secretive"]
    secrets += try confirmAndLeave(service, relay)
    secrets += try requestUnknownLinks(service)
    try service.waitUntilOutboxIsEmpty()
    let log = try service.endAndReadLog()
    for mail in try relay.mails() {
      let links = [try mail.link("confirm"), try mail.link("unsubscribe")]
      secrets += links.map { String($0.suffix(43)) } + [try mail.code()]
    }
    #expect(log.contains("mails sent: 1"))
    for secret in secrets { #expect(!log.contains(secret), "\(secret)") }
  }

  @Test(
    arguments: [
      ("reject.550", "mails rejected for their mailbox"), ("grey", "mails deferred by the relay"),
      ("busy.451", "mails deferred by the relay"),
      ("sender.550", "mails not accepted by the relay"),
      ("datareject.552", "mails not accepted by the relay"),
      ("close", "mails without a reply of the relay"),
    ]
  )
  func `the log contains no text of the relay, which repeats the address`(
    _ mailbox: String, _ message: String
  ) throws {
    let relay = try MailRelay()
    let service = try RunningService(
      relay.flags + ["--log-level", "trace", "--mail-retry", "4h", "--drain", "0s"])
    let id = try service.signUp("\(mailbox)@secretive.example.com").execution()
    try Deadline.soon.wait { service.process.standardError.contains(message) }
    let log = try service.endAndReadLog()
    let texts = [
      "secretive", "Recipient address", "Greylisted", "Message rejected", "Service shutting", id,
    ]
    for text in texts { #expect(!log.contains(text), "\(text)") }
  }

  @Test(
    arguments: [
      ([], true), (["--login-only"], true), ([], false), (["--login-only"], false),
    ] as [([String], Bool)]
  )
  func `the log contains no password of the relay`(_ options: [String], _ isRight: Bool) throws {
    let password = "correct-horse"
    let relay = try MailRelay(
      ["--user", "ada", "--password", isRight ? password : "another"] + options)
    let service = try RunningService(
      relay.flags + [
        "--smtp-user", "ada", "--smtp-password", password, "--smtp-tls", "off",
        "--log-level", "trace", "--drain", "0s",
      ]
    )
    #expect(try service.signUp("ana@example.com").status == 202)
    let message = isRight ? "mails sent: 1" : "relay unavailable at AUTH: 535"
    try Deadline.soon.wait { service.process.standardError.contains(message) }
    let log = try service.endAndReadLog()
    for text in password.credentials(of: "ada") { #expect(!log.contains(text), "\(text)") }
  }

  /// Uses every route of a mail's links and code.
  ///
  /// - Returns: What must not be in the log.
  private func confirmAndLeave(_ service: RunningService, _ relay: MailRelay) throws -> [String] {
    let id = try service.signUp("ana@secretive.example.com").execution()
    let mail = try #require(try relay.waitForMails(1).first)
    let stream = try service.stream("/executions/\(id)/events?until=confirmed")
    let confirm = try mail.link("confirm")
    let unsubscribe = try mail.link("unsubscribe")
    for path in [confirm, unsubscribe] {
      for method in ["GET", "HEAD"] {
        #expect(try service.request(method, path, fields: ["Accept: text/html"]).status == 200)
      }
    }
    let code = try mail.code()
    let wrongCode = code == "271828" ? "314159" : "271828"
    for (typed, status) in [("2718", 422), (wrongCode, 422), (code, 200)] {
      #expect(try service.type(typed, for: id).status == status)
    }
    #expect(try service.request("POST", confirm, body: "").status == 200)
    #expect(try service.leaveByOneClick(unsubscribe).status == 200)
    #expect(try service.exportedStates() == ["ana@secretive.example.com": "unsubscribed"])
    for method in ["GET", "POST"] {
      let body = method == "POST" ? "" : nil
      #expect(try service.request(method, confirm, body: body).status == 410)
    }
    // A new link, since the owner asks for it; its token and code count, too.
    #expect(try service.request("POST", "\(confirm)/mail", body: "").status == 200)
    #expect(try relay.waitForMails(2).map(\.recipient).allSatisfy { $0.hasPrefix("ana@") })
    stream.close()
    return [id, wrongCode]
  }

  /// Requests links that do not exist.
  ///
  /// - Returns: What must not be in the log.
  private func requestUnknownLinks(_ service: RunningService) throws -> [String] {
    let tokens = [String(repeating: "Qx", count: 21) + "A", "secretive-token"]
    for token in tokens {
      for path in ["/confirm/\(token)", "/unsubscribe/\(token)"] {
        for (method, body) in [("GET", nil), ("HEAD", nil), ("POST", "")] {
          #expect(try service.request(method, path, body: body).status == 404)
        }
      }
      #expect(try service.request("POST", "/confirm/\(token)/mail", body: "").status == 404)
    }
    return tokens
  }
}
