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
  private let nginx: ChildProcess
  private let socket: String

  init() throws {
    service = try RunningService(
      ["--public-url", "https://list.example.org", "--signup-rate", "2/1h"]
    )
    let folder = service.folder
    // A Unix socket, because nginx cannot pick a free port; a certificate would not change anything.
    socket = folder.path(of: "nginx.sock")
    let text = try Document("docs/operating/proxies.md").text
    let block = try #require(
      text.components(separatedBy: "```nginx\n").last?.components(separatedBy: "```").first
    )
    let configuration =
      block
      .replacing("127.0.0.1:8080", with: "127.0.0.1:\(service.port)")
      .replacing("listen 443 ssl;", with: "listen unix:\(socket);")
      .replacing(/ssl_certificate.*;/, with: "")
    try #require(configuration.contains("listen unix:"))
    try folder.write(
      """
      daemon off; master_process off; pid nginx.pid;
      error_log stderr; error_log /dev/stdout notice;
      events {}
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy;
        fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        # The address of a client of a Unix socket.
        set_real_ip_from unix:; real_ip_header X-Test-Client;
        \(configuration)
      }
      """,
      to: "nginx.conf"
    )
    nginx = try Program.start("nginx -p \(folder.path) -c nginx.conf", in: folder)
    // The first log line, which names the event method, comes after the sockets are open.
    let line = try nginx.readLine()
    try #require(line?.contains("event method") == true, "\(nginx.standardError)")
  }

  private func signUp(_ address: String, from client: String) throws -> TestResponse {
    let connection = try SocketClient(path: socket)
    let body = "email=\(address)"
    try connection.send(
      "POST /subscribers HTTP/1.1\r\nHost: list.example.org\r\nX-Test-Client: \(client)\r\n"
        + "Content-Type: application/x-www-form-urlencoded\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    return try connection.readResponse()
  }

  @Test func `the service behind the documented nginx knows its host and its clients`() throws {
    for name in ["a", "b"] {
      #expect(try signUp("\(name)@example.org", from: "203.0.113.9").status == 202)
    }
    #expect(try signUp("c@example.org", from: "203.0.113.9").status == 429)
    #expect(try signUp("c@example.org", from: "198.51.100.1").status == 202)
  }

  @Test func `events pass the documented nginx immediately`() throws {
    let stream = try SocketClient(path: socket)
    try stream.send("GET /status HTTP/1.1\r\nHost: list.example.org\r\n\r\n")
    #expect(try stream.readHead().status == 200)
    #expect(try signUp("a@example.org", from: "203.0.113.9").status == 202)
    var events: [String] = []
    while events.count < 2 {
      let block = try #require(try stream.readEvent())
      if let event = block.event { events.append(event) }
    }
    #expect(events == ["started", "completed"])
  }
}
