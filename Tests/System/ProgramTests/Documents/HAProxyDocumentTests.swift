import Foundation
import TestSupport
import Testing

/// Tests of the configuration of HAProxy in the documents.
@Suite(.enabled(if: Program.isThere("haproxy"), "haproxy is not installed: Scripts/bootstrap all"))
struct HAProxyDocumentTests {
  private let service: RunningService
  private let haproxy: HAProxy

  init() throws {
    service = try RunningService([
      "--public-url", "https://list.example.org", "--signup-rate", "2/1h",
    ])
    let block = try #require(
      try Document("docs/operating/proxies.md").text
        .components(separatedBy: "```haproxy\n").last?.components(separatedBy: "```").first
    )
    let bind = HAProxy.bind(in: service.folder)
    let configuration =
      block
      .replacing("127.0.0.1:8080", with: "127.0.0.1:\(service.port)")
      // Without a certificate, which would not change anything.
      .replacing(/bind :443 ssl .*/, with: "bind \(bind)")
    try #require(configuration.contains(bind))
    haproxy = try HAProxy(configuration, in: service.folder)
  }

  private func signUp(
    _ address: String, from client: String, fields: [String] = []
  ) throws -> TestResponse {
    let connection = try haproxy.connect(from: client)
    try connection.request(
      "POST", "/subscribers", host: "list.example.org",
      fields: ["Content-Type: application/x-www-form-urlencoded"] + fields, body: "email=\(address)"
    )
    return try connection.readResponse()
  }

  @Test(arguments: ForgedFields.all)
  func `fields that a client forges have no effect behind the documented HAProxy`(
    fields: [String]
  ) throws {
    try ForgedFields.expectNoEffect(on: service) { address, client in
      try signUp(address, from: client, fields: fields)
    }
  }

  @Test func `events pass the documented HAProxy immediately`() throws {
    let stream = try haproxy.connect()
    try stream.request("GET", "/status", host: "list.example.org")
    #expect(try stream.readHead().status == 200)
    #expect(try signUp("a@example.org", from: "203.0.113.9").status == 202)
    #expect(try stream.readEventNames(2) == ["started", "completed"])
  }

  @Test func `the log of the documented HAProxy has no token of a link`() throws {
    let token = String(repeating: "Ab1_", count: 11).dropLast()
    func get(_ path: String) throws -> Int {
      let client = try haproxy.connect()
      try client.request("GET", path, host: "list.example.org")
      return try client.readResponse().status
    }
    let paths = [
      "/confirm/\(token)", "/unsubscribe/\(token)", "//confirm/\(token)", "/%63onfirm/\(token)",
    ]
    for path in paths { #expect(try get(path) < 500) }
    _ = try service.endAndReadLog()
    for path in paths { #expect(try get(path) == 503) }
    #expect(try get("/livez") == 503)
    while let line = try haproxy.process.readLine() {
      #expect(!line.contains(token))
      if line.contains("/livez") { break }
    }
  }
}
