import TestSupport
import Testing

/// Tests of the service behind nginx, which by default proxies with HTTP/1.0 and buffers responses.
@Suite(.enabled(if: Child.finds("nginx"), "nginx is not installed: Scripts/bootstrap all"))
struct NginxTests {
  private let service: Enlist
  private let nginx: Nginx

  init() throws {
    service = try Enlist(["--trusted-proxies", "127.0.0.1", "--signup-rate", "2/1h"])
    nginx = try Nginx(
      """
      server {
        \(Nginx.listen(in: service.folder))
        location / {
          proxy_pass http://127.0.0.1:\(service.port);
          proxy_set_header X-Forwarded-For $http_x_test_client;
        }
      }
      """,
      in: service.folder
    )
  }

  @Test func `consecutive requests on a connection through nginx get responses`() throws {
    let client = try nginx.connect()
    for _ in 0..<3 {
      try client.request("GET", "/livez")
      let alive = try client.readResponse().text
      #expect(alive == #"{"status":"alive"}"#)
      try client.request("HEAD", "/readyz")
      try client.readResponse(to: "HEAD").expect(200)
      try client.request("GET", "/none")
      try client.readResponse().expect(404)
    }
  }

  @Test func `events arrive immediately even though nginx buffers`() throws {
    let stream = try nginx.connect()
    try stream.request("GET", "/status")
    let head = try stream.readHead().expect(200)
    #expect(head["Content-Type"] == "text/event-stream")
    for name in ["a", "b"] {
      try nginx.signUp("\(name)@example.org", from: "203.0.113.9").expect(202)
      let events = try stream.readEventNames(2)
      #expect(events == ["started", "completed"])
    }
  }

  @Test func `clients are identified by the address that nginx forwards`() throws {
    try nginx.expectLimitPerClient()
  }

  @Test func `a sign-up with a slow body through nginx is stored once`() throws {
    let client = try nginx.connect()
    let body = "email=slow%40example.org"
    try client.send(
      "POST /subscribers HTTP/1.1\r\nHost: a\r\n"
        + "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    for byte in body { try client.send("1\r\n\(byte)\r\n") }
    try client.send("0\r\n\r\n")
    try client.readResponse().expect(202)
    let stored = try service.addresses()
    #expect(stored == ["slow@example.org"])
  }

  /// Both reject such a line; libmicrohttpd alone would treat it as the end of the head.
  @Test func `ambiguous request heads do not reach the service through nginx`() throws {
    for fields in [
      "Host: a\r\n: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: a",
      "Host: a\r\nContent-Length: 0\r\nContent-Length: 36",
      "Host: a\r\nContent-Length: 36\r\nTransfer-Encoding: chunked",
      "Host: a\r\nTransfer-Encoding: gzip, chunked",
      "Host: a\r\nX: \0",
    ] {
      let client = try nginx.connect()
      try client.send("POST /email-checks HTTP/1.1\r\n\(fields)\r\n\r\n")
      let response = try client.readResponse()
      #expect([400, 501].contains(response.status), "\(fields): \(response)")
      #expect(response["Content-Type"] == "text/html", "\(fields): \(response)")
    }
  }
}
