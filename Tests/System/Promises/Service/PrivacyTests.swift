import Glibc
import HTTPSignals
import HTTPTypes
import TestSupport
import Testing

@testable import Services

/// Tests that the log identifies neither people nor executions, beyond what the harness expects of
/// every log.
@Suite struct PrivacyTests {
  @Test(arguments: ["text", "json"])
  func `the log contains neither addresses nor execution ids`(_ format: String) throws {
    let service = try Enlist([
      "--log-format", format, "--database-timeout", "10ms", "--heartbeat", "20ms", "--drain", "0s",
    ])
    let stream = try service.stream()
    var ids = try ["secretive@example.com", "secretive@hidden.example.com"].map {
      try service.signUp($0).expect(202).execution
    }
    for typed in ["secretive", "secretive@", "%ff@secretive.com", "secretive@x.test%0a"] {
      let response = try service.signUp(typed)
      #expect(response.status >= 400, "\(typed): \(response)")
    }
    try service.post("/subscribers", json: #"{"email":"secretive@example.com""#).expect(400)
    let lock = try StolenLock(of: service)
    try service.signUp("secretive@example.com").expect(503)
    // Some clients disconnect in the middle of a stream or a request.
    let client = try service.connect()
    try client.sendSignUp(of: "secretive@example.com", fields: ["Prefer: respond-async"])
    ids.append(try client.readResponse().expect(202).execution)
    try lock.giveBack()
    for id in ids {
      let left = try service.stream("/executions/\(id)/events")
      try left.reset()
    }
    let half = try service.connect()
    try half.request("GET", "/\(ids[0])/secretive", fields: ["Content-Length: 5"])
    try half.reset()
    for _ in 0..<3 { _ = try stream.readEventLine() }
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))

    let log = service.process.errors
    #expect(!log.isEmpty)
    // The log must not list all settings, because one of them may be a secret in the future.
    for secret in ["secretive", "hidden", "Settings("] + ids {
      #expect(!log.contains(secret), "\(secret)")
    }
  }

  @Test(arguments: ["truncated", "full"], ["203.0.113.77", "2001:db8:1:2:3:4:5:77"])
  func `the log contains no client's address, whatever is rejected`(
    _ kept: String, _ client: String
  ) throws {
    let service = try Enlist([
      "--trusted-proxies", "loopback", "--consent-address", kept, "--signup-rate", "3/1h",
      "--max-streams-per-client", "1", "--database-timeout", "10ms", "--drain", "0s",
    ])
    let forwarded = ["X-Forwarded-For: \(client)"]
    func signUp(_ fields: [String] = []) throws -> Client.Response {
      try service.signUp("ana@example.com", fields: forwarded + fields)
    }
    try signUp().expect(202)
    let stored = try service.file.texts("SELECT ip FROM consents")
    #expect(stored.count == 1)
    #expect((stored == [client]) == (kept == "full"), "\(stored)")
    try signUp(["Origin: https://other.example"]).expect(403)
    let lock = try StolenLock(of: service)
    try signUp().expect(503)
    try lock.giveBack()
    try signUp().expect(202)
    try signUp().expect(429)
    try service.get("/", fields: forwarded + ["Host: b"]).expect(400)
    let streams = try [": ok", ": busy"].map { line in
      let stream = try service.connect()
      try stream.request("GET", "/status", fields: forwarded + ["Accept: text/event-stream"])
      try stream.readHead().expect(200)
      _ = try stream.readEventLine()
      #expect(try stream.readEventLine() == line)
      return stream
    }
    let log = try service.stop()
    for stream in streams { stream.close() }
    for subject in [
      "responses with 403", "responses with 429", "responses with 503", "malformed requests",
      "event streams over the limit",
    ] {
      #expect(log.contains("\(subject): 1"), "\(subject)")
    }
    #expect(!log.contains(client))
  }

  @Test(arguments: ["text", "json"])
  func `each request of each route has a log line that reveals nothing`(_ format: String) throws {
    let service = try Enlist(.mail + ["--log-format", format, "--drain", "0s"])
    let id = try service.signUp("secretive@hidden.example.com").expect(202).execution
    let mail = try service.mail(to: "secretive@hidden.example.com")
    let tokens = try ["confirm", "unsubscribe"].map { String(try mail.link($0).suffix(43)) }
    // Without digits, so that it contains no code.
    let trace = "abcdefabcdefabcdefabcdefabcdefab"
    for route in SignUpService.table {
      let path = route.pattern.replacing("{id}", with: id).replacing("{name}", with: "internal")
        .replacing("{token}", with: tokens[route.pattern.hasPrefix("/confirm") ? 0 : 1])
      for method in ["HEAD", "OPTIONS", "DELETE", "SECRETIVE", route.method.rawValue] {
        let client = try service.connect()
        try client.request(
          method,
          path + "?email=secretive@hidden.example.com&last_event_id=secretive",
          fields: [
            "Content-Type: application/json", "Referer: http://localhost\(path)",
            "Cookie: secretive", "traceparent: 00-\(trace)-fedcbafedcbafedc-01",
          ],
          body: method == "POST" ? #"{"email":"secretive@hidden","code":"\#(mail.code)"}"# : nil
        )
        // Streams have no end that could be awaited.
        let status = try client.readHead(to: method).status
        #expect(status < 500, "\(method) \(path)")
      }
    }
    try service.get("/secretive/\(id)/\(tokens[0])").expect(404)
    let log = try service.stop()
    for route in SignUpService.table {
      for method in ["HEAD", "OPTIONS", "DELETE", "other", route.method.rawValue] {
        let hasLine = log.split(separator: "\n").contains { line in
          line.contains(trace)
            && (format == "text"
              ? line.contains(" method=\(method) ") && line.contains(" route=\(route.pattern) ")
              : line.contains(#""method":"\#(method)""#)
                && line.contains(#""route":"\#(route.pattern)""#))
        }
        #expect(hasLine, "\(method) \(route.pattern)")
      }
    }
    for secret in ["secretive", "SECRETIVE", "hidden", id] {
      #expect(!log.contains(secret), "\(secret)")
    }
  }
}
