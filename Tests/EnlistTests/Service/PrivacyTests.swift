import Glibc
import TestSupport
import Testing

/// Tests that the log identifies neither people nor executions.
@Suite(.timeLimit(.minutes(15))) struct PrivacyTests {
  @Test(arguments: ["text", "json"])
  func `the log contains neither addresses nor execution ids`(_ format: String) throws {
    let service = try RunningService([
      "--log-level", "trace", "--log-format", format, "--database-timeout", "10ms",
      "--heartbeat", "20ms", "--drain", "0s",
    ])
    let stream = try service.stream()
    var ids: [String] = []
    for address in ["secretive@example.com", "secretive@hidden.example.com"] {
      ids.append(try service.signUp(address).execution())
    }
    for body in ["secretive", "secretive@", "%ff@secretive.com", "secretive@x.test%0a"] {
      #expect(try service.signUp(body).status >= 400)
    }
    let fields = ["Content-Type: application/json"]
    let broken = #"{"email":"secretive@example.com""#
    #expect(try service.request("POST", "/subscribers", fields: fields, body: broken).status == 400)
    let lock = try StolenLock(of: service)
    #expect(try service.signUp("secretive@example.com").status == 503)
    // Some clients disconnect in the middle of a stream or a request.
    let client = try service.connect()
    try client.request(
      "POST",
      "/subscribers",
      fields: fields + ["Prefer: respond-async"],
      body: #"{"email":"secretive@example.com"}"#
    )
    ids.append(try client.readResponse().execution())
    try lock.giveBack()
    for id in ids {
      let left = try service.stream("/executions/\(id)/events")
      try left.reset()
    }
    let half = try service.connect()
    try half.request("GET", "/\(ids[0])/secretive", fields: ["Content-Length: 5"])
    try half.reset()
    for _ in 0..<3 { _ = try stream.readEventLine() }
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))

    let log = service.process.standardError
    #expect(!log.isEmpty)
    #expect(!log.contains("secretive"))
    #expect(!log.contains("hidden"))
    for id in ids { #expect(!log.contains(id)) }
    // The log must not list all settings, because one of them may be a secret in the future.
    #expect(!log.contains("Settings("))
  }
}
