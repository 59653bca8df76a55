import Foundation
import TestSupport
import Testing

/// Tests of the configuration of nginx in the documents.
@Suite(.enabled(if: Program.isThere("nginx"), "nginx is not installed: Scripts/bootstrap all"))
struct ProxyDocumentTests {
  private let service: RunningService
  private let nginx: Nginx

  /// The options of the documented address, after its port.
  private static let options = " ssl http2"

  init() throws {
    service = try RunningService([
      "--public-url", "https://list.example.org", "--signup-rate", "2/1h",
    ])
    let configuration = try Self.configuration(of: service)
      .replacing("\(Self.options);", with: ";")
      // For most tests a certificate would not change anything.
      .replacing(/ssl_certificate.*;/, with: "")
      .replacing("server_name", with: "access_log access.log; error_log error.log; server_name")
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

  /// The documented configuration, with the Unix socket of the tests.
  private static func configuration(of service: RunningService) throws -> String {
    let text = try Document("docs/operating/proxies.md").text
    let block = try #require(
      text.components(separatedBy: "```nginx\n").last?.components(separatedBy: "```").first)
    let listen = Nginx.listen(in: service.folder).replacing(";", with: "\(options);")
    let configuration =
      block
      .replacing("127.0.0.1:8080", with: "127.0.0.1:\(service.port)")
      .replacing("listen 443\(options);", with: listen)
    try #require(configuration.contains(listen))
    return configuration
  }

  @Test func `the documented nginx speaks HTTP/2`() throws {
    let service = try RunningService(["--public-url", "https://list.example.org"])
    let certificate = try TestCertificate()
    for (bytes, name) in [(certificate.certificate, "tls.crt"), (certificate.key, "tls.key")] {
      try service.folder.write(String(decoding: bytes, as: UTF8.self), to: name)
    }
    let nginx = try Nginx(
      try Self.configuration(of: service)
        .replacing(
          /ssl_certificate .*;/, with: "ssl_certificate \(service.folder.path(of: "tls.crt"));"
        )
        .replacing(
          /ssl_certificate_key .*;/,
          with: "ssl_certificate_key \(service.folder.path(of: "tls.key"));"),
      in: service.folder
    )
    let curl = try Program.start(
      "curl -sk --unix-socket nginx.sock -w ' %{http_version}' https://list.example.org/livez",
      in: service.folder)
    #expect(String(decoding: try curl.readOutput(), as: UTF8.self) == #"{"status":"alive"} 2"#)
    withExtendedLifetime(nginx) {}
  }

  @Test func `the logs of the documented nginx have no token of a link`() throws {
    let token = String(repeating: "Ab1_", count: 11).dropLast()
    func get(_ path: String) throws -> Int {
      let client = try nginx.connect()
      try client.request("GET", path, host: "list.example.org")
      return try client.readResponse().status
    }
    let paths = [
      "confirm/\(token)", "unsubscribe/\(token)", "/confirm/\(token)", "%63onfirm/\(token)",
    ]
    for path in paths { #expect(try get("/\(path)") < 500) }
    _ = try service.endAndReadLog()
    for path in paths { #expect(try get("/\(path)") == 502) }
    #expect(try get("/livez") == 502)
    for log in ["access.log", "error.log"] {
      let text = try Deadline.soon.value {
        let text = try service.folder.read(log)
        return text.contains("/livez") ? text : nil
      }
      #expect(!text.contains(token), "\(log)")
    }
  }

  @Test func `the service behind the documented nginx knows its host and its clients`() throws {
    try nginx.expectLimitPerClient()
  }

  @Test(arguments: ForgedFields.all)
  func `fields that a client forges have no effect behind the documented nginx`(
    fields: [String]
  ) throws {
    try ForgedFields.expectNoEffect(on: service) { address, client in
      try nginx.signUp(address, from: client, fields: fields)
    }
  }

  @Test func `events pass the documented nginx immediately`() throws {
    let stream = try nginx.connect()
    try stream.request("GET", "/status", host: "list.example.org")
    #expect(try stream.readHead().status == 200)
    #expect(try nginx.signUp("a@example.org", from: "203.0.113.9").status == 202)
    #expect(try stream.readEventNames(2) == ["started", "completed"])
  }
}
