import Foundation
import TestSupport
import Testing

/// Tests that the log of mail identifies nobody, whatever the relay replies.
@Suite(.needsPython)
struct MailPrivacyTests {
  private let relay: TestRelay

  init() throws {
    relay = try TestRelay()
  }

  /// `Enlist` expects at its end that the log has no token of a link that exists, and no code.
  @Test(arguments: ["text", "json"])
  func `the log contains no address, token or code`(_ format: String) throws {
    let service = try Enlist(["--log-format", format, "--drain", "0s"], relay: relay)
    let secrets = try ["secretive"] + confirmAndLeave(service) + requestUnknownLinks(service)
    try service.waitUntilOutboxIsEmpty()
    let log = try service.stop()
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
    let service = try Enlist(["--mail-retry", "4h", "--drain", "0s"], relay: relay)
    let id = try service.signUp("\(mailbox)@secretive.example.com").expect(202).execution
    try service.process.waitForLog(message)
    let log = try service.stop()
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
    let relay = try TestRelay(
      ["--user", "ada", "--password", isRight ? password : "another"] + options)
    let service = try Enlist(
      ["--smtp-user", "ada", "--smtp-password", password, "--smtp-tls", "off", "--drain", "0s"],
      relay: relay
    )
    try service.signUp("ana@example.com").expect(202)
    try service.process.waitForLog(isRight ? "mails sent: 1" : "relay unavailable at AUTH: 535")
    let log = try service.stop()
    // Also the arguments of AUTH PLAIN and LOGIN (RFC 4616).
    let arguments = ["\0ada\0\(password)", password].map { Data($0.utf8).base64EncodedString() }
    for text in [password] + arguments { #expect(!log.contains(text), "\(text)") }
  }

  /// Uses every route of a mail's links and code.
  ///
  /// - Returns: What must not be in the log.
  private func confirmAndLeave(_ service: Enlist) throws -> [String] {
    let id = try service.signUp("ana@secretive.example.com").expect(202).execution
    let mail = try #require(try relay.mails(1).first)
    let stream = try service.stream("/executions/\(id)/events?until=confirmed")
    defer { stream.close() }
    let confirm = try mail.link("confirm")
    let unsubscribe = try mail.link("unsubscribe")
    for path in [confirm, unsubscribe] {
      for method in ["GET", "HEAD"] {
        try service.send(method, path, fields: ["Accept: text/html"]).expect(200)
      }
    }
    let wrongCode = mail.code == "271828" ? "314159" : "271828"
    for (typed, status) in [("2718", 422), (wrongCode, 422), (mail.code, 200)] {
      try service.type(typed, for: id).expect(status)
    }
    try service.post(confirm).expect(200)
    try service.leaveByOneClick(unsubscribe).expect(200)
    let people = try service.people()
    #expect(people == ["ana@secretive.example.com": "unsubscribed"])
    try service.get(confirm).expect(410)
    try service.post(confirm).expect(410)
    // A new link, since the owner asks for it; its token and code count, too.
    try service.post("\(confirm)/mail").expect(200)
    let recipients = try relay.mails(2).map(\.recipient)
    #expect(recipients.allSatisfy { $0.hasPrefix("ana@") }, "\(recipients)")
    return [id, wrongCode]
  }

  /// Requests links that do not exist.
  ///
  /// - Returns: What must not be in the log.
  private func requestUnknownLinks(_ service: Enlist) throws -> [String] {
    let tokens = [String(repeating: "Qx", count: 21) + "A", "secretive-token"]
    for token in tokens {
      for path in ["/confirm/\(token)", "/unsubscribe/\(token)"] {
        for method in ["GET", "HEAD"] { try service.send(method, path).expect(404) }
        try service.post(path).expect(404)
      }
      try service.post("/confirm/\(token)/mail").expect(404)
    }
    return tokens
  }
}
