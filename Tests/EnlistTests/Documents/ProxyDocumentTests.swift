import Foundation
import TestSupport
import Testing

/// Tests of the configuration of nginx in the documents.
@Suite(
  .timeLimit(.minutes(15)),
  .enabled(if: Program.isThere("nginx"), "nginx is not installed: Scripts/bootstrap test")
)
struct ProxyDocumentTests {
  private let service: RunningService
  private let nginx: Nginx

  init() throws {
    service = try RunningService(
      ["--public-url", "https://list.example.org", "--signup-rate", "2/1h"]
    )
    let text = try Document("docs/operating/proxies.md").text
    let block = try #require(
      text.components(separatedBy: "```nginx\n").last?.components(separatedBy: "```").first
    )
    let configuration =
      block
      .replacing("127.0.0.1:8080", with: "127.0.0.1:\(service.port)")
      .replacing("listen 443 ssl;", with: Nginx.listen(in: service.folder))
      // A certificate would not change anything.
      .replacing(/ssl_certificate.*;/, with: "")
    try #require(configuration.contains("listen unix:"))
    nginx = try Nginx(
      """
      # The address of a client of a Unix socket.
      set_real_ip_from unix:; real_ip_header X-Test-Client;
      \(configuration)
      """,
      host: "list.example.org",
      in: service.folder
    )
  }

  @Test func `the service behind the documented nginx knows its host and its clients`() throws {
    try nginx.expectLimitPerClient()
  }

  @Test func `events pass the documented nginx immediately`() throws {
    let stream = try nginx.connect()
    try stream.request("GET", "/status", host: "list.example.org")
    #expect(try stream.readHead().status == 200)
    #expect(try nginx.signUp("a@example.org", from: "203.0.113.9").status == 202)
    #expect(try stream.readEventNames(2) == ["started", "completed"])
  }
}
