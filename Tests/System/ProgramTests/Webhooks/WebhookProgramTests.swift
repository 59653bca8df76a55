import Foundation
import TestSupport
import Testing

/// Webhooks of a running service, whose requests the package standardwebhooks verifies.
@Suite(.needsPython)
struct WebhookProgramTests {
  private static let networks = ["--webhook-networks", "127.0.0.0/8"]

  private let service: RunningService

  init() throws {
    service = try RunningService(
      Self.networks + RunningService.openMetricsFlags + ["--signup-rate", "off"])
  }

  /// Runs `enlist webhooks`.
  ///
  /// - Returns: The values of the members of the first line, and the exit code.
  private func webhooks(
    _ arguments: [String], environment: [String: String] = [:], exit code: Int32 = 0
  ) throws -> [String: Any] {
    let process = try ChildProcess(
      "enlist", ["webhooks"] + arguments + Self.networks, environment: environment,
      in: service.folder)
    let output = String(decoding: try process.readOutput(), as: UTF8.self)
    try #require(try process.wait() == .exit(code), "\(process.standardError)")
    guard let line = output.split(separator: "\n").first else {
      return ["error": process.standardError]
    }
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private func create(_ url: String, _ more: [String] = []) throws -> (id: String, secret: String) {
    let members = try webhooks(["create", "--url", url] + more)
    return (try #require(members["id"] as? String), try #require(members["secret"] as? String))
  }

  /// Waits until the number of requests with a result is at least a number.
  private func wait(for count: Double, _ result: String, of id: String) throws {
    let name = #"enlist_webhook_attempts_total{webhook="\#(id)",result="\#(result)"}"#
    try Deadline.soon.wait { try service.metric(name) ?? 0 >= count }
  }

  /// Starts a receiver that verifies with the secret of a webhook, which then leads to it.
  private func receive(
    _ webhook: (id: String, secret: String), _ arguments: [String] = []
  ) throws -> TestReceiver {
    let receiver = try TestReceiver(["--secret", webhook.secret] + arguments)
    _ = try webhooks(["update", webhook.id, "--url", receiver.url])
    return receiver
  }

  @Test func `events reach a receiver, signed, with the subscriber`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let receiver = try receive(webhook)
    _ = try service.signUp("ana@example.com")
    let request = try #require(try receiver.next())
    #expect(request.response == "accepted")
    #expect(request.type == "subscriber.requested")
    #expect(request.subscriber == 1 && request.address == "ana@example.com")
    let response = try webhooks(["test", webhook.id])
    #expect(response["result"] as? String == "delivered")
    #expect(response["status"] as? Int == 204)
    #expect(response["address"] as? String == "127.0.0.1")
    #expect(try receiver.next()?.type == "webhook.test")
  }

  @Test(arguments: [
    ("good", true, "delivered"), ("good", false, "tls"), ("wrong-name", true, "tls"),
  ])
  func `only a receiver with a certificate of a trusted authority gets a request`(
    certificate: String, isTrusted: Bool, result: String
  ) throws {
    let folder = try #require(TestRelay.certificates).path
    let webhook = try create("https://127.0.0.1:9999/")
    let receiver = try receive(webhook, ["--certificate", "\(folder)/\(certificate)"])
    let authority = isTrusted ? ["--webhook-ca", "\(folder)/ca.pem"] : []
    // A proxy of the environment is not used: this one does not exist.
    let response = try webhooks(
      ["test", webhook.id] + authority,
      environment: ["https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"],
      exit: result == "delivered" ? 0 : 1)
    #expect(response["result"] as? String == result, "\(response)")
    if result == "delivered" { #expect(try receiver.next()?.type == "webhook.test") }
  }

  @Test func `after a rotation both secrets verify`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let rotated = try webhooks(["rotate", webhook.id])
    let secret = try #require(rotated["secret"] as? String)
    #expect(secret != webhook.secret)
    let receiver = try receive(webhook, ["--secret", secret])
    _ = try service.signUp("ana@example.com")
    #expect(try receiver.next()?.response == "accepted")
    _ = try webhooks(["rotate", webhook.id, "--overlap", "0s"])
    let response = try webhooks(["test", webhook.id], exit: 1)
    #expect(response["status"] as? Int == 400)
  }

  @Test(arguments: [
    "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/", "https://example.org:25/", "http://example.org:22/",
    "https://[::ffff:10.0.0.1]/", "https://192.168.257/",
  ])
  func `an address that is not allowed is refused when it is known`(_ url: String) throws {
    let error = try webhooks(["create", "--url", url], exit: 64)
    #expect("\(error)".contains("--webhook-networks"))
  }

  @Test func `a name that leads to this machine is blocked at each request`() throws {
    // Without the networks, the address of the name is not allowed.
    let process = try ChildProcess(
      "enlist", ["webhooks", "create", "--url", "https://localhost:8443/"], in: service.folder)
    let line = String(decoding: try process.readOutput(), as: UTF8.self)
    let id = try #require(line.firstMatch(of: /"id":"([^"]*)"/)?.1)
    let test = try ChildProcess("enlist", ["webhooks", "test", String(id)], in: service.folder)
    let output = String(decoding: try test.readOutput(), as: UTF8.self)
    #expect(output.contains(#""result":"blocked""#), "\(output)")
    #expect(try test.wait() == .exit(1))
  }

  @Test(arguments: [("large", "delivered"), ("early", "delivered"), ("close", "connect")])
  func `the head of a response decides`(_ mode: String, _ result: String) throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let receiver = try receive(webhook, ["--mode", mode, "--status", "200"])
    _ = try service.signUp("ana@example.com")
    #expect(try receiver.next()?.response == "accepted")
    try wait(for: 1, result, of: webhook.id)
    // Not all of ten megabytes is read.
    if mode == "large" { #expect(try receiver.next()?.sent ?? 0 < 10_000_000) }
  }

  @Test func `no redirection is followed`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let receiver = try receive(webhook, ["--mode", "redirect"])
    let response = try webhooks(["test", webhook.id], exit: 1)
    #expect(response["status"] as? Int == 302 && response["address"] as? String == "127.0.0.1")
    #expect(try receiver.next()?.type == "webhook.test")
  }

  @Test func `a header without an end is not read`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let receiver = try receive(webhook, ["--mode", "heads"])
    let response = try webhooks(["test", webhook.id], exit: 1)
    #expect(response["result"] as? String == "connect")
    #expect(response["duration_ms"] as? Int ?? 0 < 15_000)
    withExtendedLifetime(receiver) {}
  }

  @Test func `410 disables a webhook, which goes on where it stopped`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let gone = try receive(webhook, ["--status", "410"])
    _ = try service.signUp("ana@example.com")
    #expect(try gone.next()?.position == 1)
    try Deadline.soon.wait {
      try webhooks(["show", webhook.id])["status"] as? String == "disabled"
    }
    _ = try service.signUp("bob@example.com")
    let receiver = try receive(webhook)
    _ = try webhooks(["enable", webhook.id])
    let first = try #require(try receiver.next()?.position)
    let second = try #require(try receiver.next()?.position)
    #expect(Set([first, second]) == [1, 2])
    #expect(try service.endAndReadLog().contains("a webhook is disabled"))
  }

  @Test func `the API manages webhooks, and shows the secret only once`() throws {
    let key = try service.makeKey("webhooks,events")
    func request(_ method: String, _ path: String, _ json: String? = nil) throws -> TestResponse {
      try service.operatorRequest(method, "/api/webhooks\(path)", key: key, json: json)
    }
    let refused = try request("POST", "", #"{"url":"https://169.254.169.254/"}"#)
    #expect(refused.status == 422 && refused.text.contains("--webhook-networks"))
    #expect(try request("POST", "", #"{"url":"https://example.org/#x"}"#).status == 400)
    #expect(
      try request("POST", "", #"{"url":"https://example.org/","from":"other-1"}"#).status == 410)
    let receiver = try TestReceiver()
    let created = try request("POST", "", #"{"url":"\#(receiver.url)","types":["subscriber.*"]}"#)
    #expect(created.status == 201 && created.text.contains(#""secret":"whsec_"#))
    let path = try #require(created["Location"]).replacing("/api/webhooks", with: "")
    let shown = try request("GET", path)
    #expect(shown.status == 200 && !shown.text.contains("whsec_"))
    _ = try service.signUp("ana@example.com")
    #expect(try receiver.next()?.response == "accepted")
    let test = try request("POST", "\(path)/test")
    #expect(test.text.contains(#""result":"delivered""#))
    try Deadline.soon.wait {
      try request("GET", "\(path)/attempts").text.contains(#""result":"delivered""#)
    }
    #expect(try request("POST", "\(path)/rotate", "{}").text.contains(#""secret":"whsec_"#))
    let disabled = try request("POST", "\(path)/disable")
    #expect(disabled.text.contains(#""status":"disabled""#))
    let enabled = try request("POST", "\(path)/enable", #"{"from":"now"}"#)
    #expect(enabled.text.contains(#""status":"active""#))
    let changed = try request("PATCH", path, #"{"types":["mail.*"]}"#)
    #expect(changed.text.contains(#""types":["mail.*"]"#))
    #expect(try request("DELETE", path).status == 204)
    #expect(try request("GET", path).status == 404)
  }

  @Test func `a receiver that fails and dies gets each person's events in order, and all`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let peopleCount = 20
    let roundCount = 10
    var last: [Int: Int] = [:]
    var seen: Set<Int> = []
    var receiver = try receive(webhook, ["--mode", "chaos"])
    for _ in 0..<roundCount {
      for person in 0..<peopleCount { _ = try service.signUp("p\(person)@example.com") }
    }
    let deadline = Deadline(after: .seconds(300))
    var requests = 0
    while seen.count < peopleCount * roundCount {
      guard let request = try receiver.next(by: deadline) else {
        receiver = try TestReceiver([
          "--secret", webhook.secret, "--mode", "chaos", "--port", "\(receiver.port)",
        ])
        continue
      }
      requests += 1
      if requests == 50 { receiver.kill() }
      guard request.response == "accepted", let position = request.position,
        let subscriber = request.subscriber
      else {
        #expect(request.response == "failed" || request.response == "closed")
        continue
      }
      guard seen.insert(position).inserted else { continue }
      #expect(last[subscriber] ?? 0 < position)
      last[subscriber] = position
    }
    #expect(seen == Set(1...peopleCount * roundCount))
  }
}
