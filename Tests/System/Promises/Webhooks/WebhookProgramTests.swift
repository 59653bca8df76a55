import Foundation
import Glibc
import TestSupport
import Testing

/// Webhooks of a running service, whose requests the package standardwebhooks verifies.
@Suite(.needsPython)
struct WebhookProgramTests {
  private static let networks = ["--webhook-networks", "127.0.0.0/8"]

  private let service: Enlist

  init() throws {
    service = try Enlist(Self.networks + .openMetrics + ["--signup-rate", "off"])
  }

  @Test func `events reach a receiver, signed, with the subscriber`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let receiver = try receive(webhook)
    try service.signUp("ana@example.com").expect(202)
    let request = try #require(try receiver.next())
    #expect(request.response == "accepted")
    #expect(request.type == "subscriber.requested")
    #expect(request.subscriber == 1 && request.address == "ana@example.com")
    let response = try webhooks(["test", webhook.id])
    #expect(response["result"] as? String == "delivered")
    #expect(response["status"] as? Int == 204)
    #expect(response["address"] as? String == "127.0.0.1")
    let test = try receiver.next()
    #expect(test?.type == "webhook.test")
  }

  @Test(arguments: [
    ("good", [], true, "delivered"), ("good", [], false, "tls"), ("wrong-name", [], true, "tls"),
    ("good", ["--old-tls"], true, "tls"),
  ])
  func `only a receiver with a certificate of a trusted authority gets a request`(
    certificate: String, options: [String], isTrusted: Bool, result: String
  ) throws {
    let folder = try #require(TestRelay.certificates).path
    let webhook = try create("https://127.0.0.1:9999/")
    let receiver = try receive(webhook, ["--certificate", "\(folder)/\(certificate)"] + options)
    let authority = isTrusted ? ["--webhook-ca", "\(folder)/ca.pem"] : []
    // A proxy of the environment is not used: this one does not exist.
    let response = try webhooks(
      ["test", webhook.id] + authority,
      environment: ["https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"],
      exit: result == "delivered" ? 0 : 1)
    #expect(response["result"] as? String == result, "\(response)")
    if result == "delivered" {
      let request = try receiver.next()
      #expect(request?.type == "webhook.test")
    }
  }

  @Test func `after a rotation both secrets verify`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let rotated = try webhooks(["rotate", webhook.id])
    let secret = try #require(rotated["secret"] as? String)
    #expect(secret != webhook.secret)
    let receiver = try receive(webhook, ["--secret", secret])
    try service.signUp("ana@example.com").expect(202)
    let request = try receiver.next()
    #expect(request?.response == "accepted")
    _ = try webhooks(["rotate", webhook.id, "--overlap", "0s"])
    let response = try webhooks(["test", webhook.id], exit: 1)
    #expect(response["status"] as? Int == 400)
  }

  @Test func `an address that is not allowed is refused when it is known`() throws {
    for url in [
      "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data/",
      "https://[::1]/", "https://example.org:25/", "http://example.org:22/",
      "https://[::ffff:10.0.0.1]/", "https://192.168.257/",
    ] {
      let refused = try service.run(
        "webhooks", "create", "--url", url, "--webhook-networks", "127.0.0.0/8")
      #expect(refused.end == .exit(64), "\(url): \(refused.output)\(refused.errors)")
      #expect(refused.errors.contains("--webhook-networks"), "\(url): \(refused.errors)")
    }
  }

  @Test func `an international host is stored in its ASCII form`() throws {
    let created = try webhooks(["create", "--url", "https://bücher.example/hook"])
    #expect(created["url"] as? String == "https://xn--bcher-kva.example/hook")
    let id = try #require(created["id"] as? String)
    let updated = try webhooks(["update", id, "--url", "https://例え.example:8443/?a=b"])
    #expect(updated["url"] as? String == "https://xn--r8jz45g.example:8443/?a=b")
  }

  @Test func `a name that leads to this machine is blocked at each request`() throws {
    // Without the networks, the address of the name is not allowed.
    let created = try service.run("webhooks", "create", "--url", "https://localhost:8443/")
    let id = try #require(
      created.output.firstMatch(of: /"id":"([^"]*)"/)?.1, "\(created.errors)")
    let test = try service.run("webhooks", "test", String(id)).expect(1)
    #expect(test.output.contains(#""result":"blocked""#), "\(test.output)")
    #expect(
      test.errors == "enlist: blocked: the address is not public; "
        + "give --webhook-networks as the service has it\n")
  }

  @Test(arguments: [("large", "delivered"), ("early", "delivered"), ("close", "connect")])
  func `the head of a response decides`(_ mode: String, _ result: String) throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let receiver = try receive(webhook, ["--mode", mode, "--status", "200"])
    try service.signUp("ana@example.com").expect(202)
    let request = try receiver.next()
    #expect(request?.response == "accepted")
    let attempts = #"enlist_webhook_attempts_total{webhook="\#(webhook.id)",result="\#(result)"}"#
    try eventually(attempts) { try service.metric(attempts) ?? 0 >= 1 }
    if mode == "large" {
      // Not all of ten megabytes is read.
      let sent = try receiver.next()?.sent ?? 0
      #expect(sent < 10_000_000)
    }
  }

  @Test func `no redirection is followed`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let receiver = try receive(webhook, ["--mode", "redirect"])
    let response = try webhooks(["test", webhook.id], exit: 1)
    #expect(response["status"] as? Int == 302, "\(response)")
    #expect(response["address"] as? String == "127.0.0.1", "\(response)")
    let request = try receiver.next()
    #expect(request?.type == "webhook.test")
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
    try service.signUp("ana@example.com").expect(202)
    let request = try gone.next()
    #expect(request?.position == 1)
    try eventually("a disabled webhook") {
      try webhooks(["show", webhook.id])["status"] as? String == "disabled"
    }
    try service.signUp("bob@example.com").expect(202)
    let receiver = try receive(webhook)
    _ = try webhooks(["enable", webhook.id])
    let positions = try [receiver.next()?.position, receiver.next()?.position]
    #expect(Set(positions) == [1, 2])
    let log = try service.stop()
    #expect(log.contains("a webhook is disabled"), "\(log)")
  }

  @Test func `the API manages webhooks, and shows the secret only once`() throws {
    let key = try service.makeKey("webhooks,events")
    func request(_ method: String, _ path: String, _ json: String? = nil) throws -> Client.Response
    {
      try service.operatorRequest(method, "/api/webhooks\(path)", key: key, json: json)
    }
    let refused = try request("POST", "", #"{"url":"https://169.254.169.254/"}"#).expect(422)
    #expect(refused.text.contains("--webhook-networks"), "\(refused)")
    try request("POST", "", #"{"url":"https://example.org/#x"}"#).expect(400)
    try request("POST", "", #"{"url":"https://example.org/","from":"other-1"}"#).expect(410)
    let receiver = try TestReceiver()
    let created = try request("POST", "", #"{"url":"\#(receiver.url)","types":["subscriber.*"]}"#)
      .expect(201)
    #expect(created.text.contains(#""secret":"whsec_"#), "\(created)")
    let path = try #require(created["Location"]).replacing("/api/webhooks", with: "")
    let shown = try request("GET", path).expect(200)
    #expect(!shown.text.contains("whsec_"), "\(shown)")
    try service.signUp("ana@example.com").expect(202)
    let received = try receiver.next()
    #expect(received?.response == "accepted")
    try eventually("an attempt that delivered") {
      try request("GET", "\(path)/attempts").text.contains(#""result":"delivered""#)
    }
    for (action, json, member) in [
      ("/test", nil, #""result":"delivered""#), ("/rotate", "{}", #""secret":"whsec_"#),
      ("/disable", nil, #""status":"disabled""#),
      ("/enable", #"{"from":"now"}"#, #""status":"active""#),
    ] as [(String, String?, String)] {
      let response = try request("POST", path + action, json)
      #expect(response.text.contains(member), "\(action): \(response)")
    }
    let changed = try request("PATCH", path, #"{"types":["mail.*"]}"#)
    #expect(changed.text.contains(#""types":["mail.*"]"#), "\(changed)")
    try request("DELETE", path).expect(204)
    try request("GET", path).expect(404)
  }

  @Test func `a receiver that fails and dies gets each person's events in order, and all`() throws {
    let webhook = try create("http://127.0.0.1:9999/")
    let (peopleCount, roundCount) = (20, 10)
    var events = PersonEvents()
    var receiver = try receive(webhook, ["--mode", "chaos"])
    for _ in 0..<roundCount {
      for person in 0..<peopleCount { try service.signUp("p\(person)@example.com").expect(202) }
    }
    let end = ContinuousClock.now + .seconds(300)
    var requests = 0
    while events.positions.count < peopleCount * roundCount {
      guard let request = try receiver.next(within: end - .now) else {
        receiver = try TestReceiver([
          "--secret", webhook.secret, "--mode", "chaos", "--port", "\(receiver.port)",
        ])
        continue
      }
      requests += 1
      if requests == 50 { receiver.kill() }
      if request.response == "accepted" {
        try events.append(request)
      } else {
        #expect(request.response == "failed" || request.response == "closed")
      }
    }
    #expect(events.positions == Set(1...peopleCount * roundCount))
  }

  @Test(.needsPostgreSQL)
  func `another replica takes over when the sender is killed, and loses nothing`() throws {
    let list = try ReplicatedList()
    let replicas = try (1...2).map { _ in
      try list.replica(Self.networks + ["--signup-rate", "off"])
    }
    let receiver = try TestReceiver()
    try replicas[0].run(
      "webhooks", "create", "--url", receiver.url, "--webhook-networks", "127.0.0.0/8"
    ).expect(0)
    var events = PersonEvents()
    func signUp(on replicas: [Enlist]) throws {
      for number in 0..<20 {
        try replicas[number % replicas.count].signUp("p\(number % 5)@example.com").expect(202)
      }
    }
    func receive(_ count: Int) throws {
      let end = ContinuousClock.now + .seconds(120)
      while events.positions.count < count {
        try events.append(#require(try receiver.next(within: end - .now)))
      }
    }
    try signUp(on: replicas)
    try receive(20)
    // The one that has the lease.
    let senders = try list.count("SELECT count(DISTINCT lease_owner) FROM enlist.webhooks")
    #expect(senders == 1)
    try signUp(on: replicas)
    replicas[0].process.send(SIGKILL)
    try signUp(on: [replicas[1]])
    try receive(60)
    #expect(events.positions == Set(1...60))
  }

  // MARK: Helpers

  /// Runs `enlist webhooks`.
  ///
  /// - Returns: The values of the members of the first line.
  private func webhooks(
    _ arguments: [String], environment: [String: String] = [:], exit code: Int32 = 0
  ) throws -> [String: Any] {
    // Not all of its commands have the flag.
    let networks = ["ENLIST_WEBHOOK_NETWORKS": "127.0.0.0/8"]
    let outcome = try Child.run(
      ["enlist", "webhooks"] + arguments, in: service.folder,
      environment: networks.merging(environment) { $1 })
    try #require(outcome.end == .exit(code), "\(outcome.output)\(outcome.errors)")
    let line = outcome.output.prefix { $0 != "\n" }
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private func create(_ url: String) throws -> (id: String, secret: String) {
    let members = try webhooks(["create", "--url", url])
    return (try #require(members["id"] as? String), try #require(members["secret"] as? String))
  }

  /// Starts a receiver that verifies with the secret of a webhook, which then leads to it.
  private func receive(
    _ webhook: (id: String, secret: String), _ arguments: [String] = []
  ) throws -> TestReceiver {
    let receiver = try TestReceiver(["--secret", webhook.secret] + arguments)
    _ = try webhooks(["update", webhook.id, "--url", receiver.url])
    return receiver
  }
}

/// The events that a receiver has accepted, whose order it expects for each person; an event may come
/// again.
private struct PersonEvents {
  private(set) var positions: Set<Int> = []
  private var last: [Int: Int] = [:]

  mutating func append(_ request: TestReceiver.Request) throws {
    let position = try #require(request.position)
    let subscriber = try #require(request.subscriber)
    guard positions.insert(position).inserted else { return }
    #expect(last[subscriber] ?? 0 < position)
    last[subscriber] = position
  }
}
