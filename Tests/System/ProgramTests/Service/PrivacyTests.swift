import Glibc
import HTTPTypes
import TestSupport
import Testing

@testable import SubscribeService

/// Tests that the log identifies neither people nor executions.
@Suite struct PrivacyTests {
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
      "POST", "/subscribers", fields: fields + ["Prefer: respond-async"],
      body: #"{"email":"secretive@example.com"}"#)
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

  @Test(arguments: ["truncated", "full"], ["203.0.113.77", "2001:db8:1:2:3:4:5:77"])
  func `the log contains no client's address, whatever is rejected`(
    _ kept: String, _ client: String
  ) throws {
    let service = try RunningService([
      "--trusted-proxies", "loopback", "--consent-address", kept, "--log-level", "trace",
      "--signup-rate", "3/1h", "--max-streams-per-client", "1", "--database-timeout", "10ms",
      "--drain", "0s",
    ])
    let forwarded = ["X-Forwarded-For: \(client)"]
    func signUp(_ fields: [String] = []) throws -> Int {
      let type = "Content-Type: application/x-www-form-urlencoded"
      let fields = forwarded + [type] + fields
      let body = "email=ana@example.com"
      return try service.request("POST", "/subscribers", fields: fields, body: body).status
    }
    #expect(try signUp() == 202)
    let stored = try service.file.texts("SELECT ip FROM consents")
    #expect(stored.count == 1)
    #expect((stored == [client]) == (kept == "full"))
    #expect(try signUp(["Origin: https://other.example"]) == 403)
    let lock = try StolenLock(of: service)
    #expect(try signUp() == 503)
    try lock.giveBack()
    #expect(try signUp() == 202)
    #expect(try signUp() == 429)
    #expect(try service.request("GET", "/", fields: forwarded + ["Host: b"]).status == 400)
    let streams = try [": ok", ": busy"].map { line in
      let stream = try service.connect()
      try stream.request("GET", "/status", fields: forwarded + ["Accept: text/event-stream"])
      #expect(try stream.readHead().status == 200)
      _ = try stream.readEventLine()
      #expect(try stream.readEventLine() == line)
      return stream
    }
    let log = try service.endAndReadLog()
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
    let service = try RunningService(
      RunningService.mailFlags + ["--log-level", "trace", "--log-format", format, "--drain", "0s"])
    let id = try service.signUp("secretive@hidden.example.com").execution()
    let mail = try #require(try service.waitForMails(1).first)
    let tokens = try ["confirm", "unsubscribe"].map { String(try mail.firstLink($0).suffix(43)) }
    let code = try #require(mail.firstMatch(of: /\n(\d{6})\n/)?.output.1)
    // Without digits, so that it contains no code.
    let trace = "abcdefabcdefabcdefabcdefabcdefab"
    for route in SubscribeRoutes.table {
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
          body: method == "POST" ? #"{"email":"secretive@hidden","code":"\#(code)"}"# : nil
        )
        // Streams have no end that could be awaited.
        #expect(try client.readHead(to: method).status < 500)
      }
    }
    #expect(try service.request("GET", "/secretive/\(id)/\(tokens[0])").status == 404)
    let log = try service.endAndReadLog()
    for route in SubscribeRoutes.table {
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
    let secrets = ["secretive", "SECRETIVE", "hidden", id, String(code)] + tokens
    for secret in secrets { #expect(!log.contains(secret), "\(secret)") }
  }
}
