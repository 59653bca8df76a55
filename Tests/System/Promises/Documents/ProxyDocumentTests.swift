import Foundation
import TestSupport
import Testing

/// Tests of the configurations of nginx and HAProxy in the documents.
@Suite struct ProxyDocumentTests {
  /// Fields by which a client pretends to be another client, or to want another host; each of these
  /// is sent with all requests of one test.
  static let forgedFields = [
    ["Forwarded: for=198.51.100.77"], ["Forwarded: for=198.51.100.77;host=evil.example"],
    ["Forwarded: \""], ["X-Forwarded-For: 198.51.100.77"], ["X-Forwarded-For: 127.0.0.1"],
    ["X-Forwarded-For: 198.51.100.77", "X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1"],
    ["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http"],
    ["X-Forwarded-Host: evil.example, evil.example", "Forwarded: host=evil.example"],
  ]

  /// More cookies than the head of a request may have, as other services of a domain set them.
  static let cookies = ["a", "b"].map { "Cookie: \($0)=\(String(repeating: "x", count: 6_000))" }

  /// The options of the documented address of nginx, after its port.
  private static let options = " ssl http2"

  @Suite(.needsNginx)
  struct BehindNginx {
    private let service: Enlist
    private let nginx: Nginx

    init() throws {
      service = try ProxyDocumentTests.service()
      let configuration = try ProxyDocumentTests.nginx(in: service)
        .replacing("\(options);", with: ";")
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

    @Test func `the logs of the documented nginx have no token of a link`() throws {
      try expectLinks(of: service, after: 502) { try nginx.connect() }
      for log in ["access.log", "error.log"] {
        let text = try eventually("a request in \(log)") {
          let text = try service.folder.read(log)
          return text.contains("/livez") ? text : nil
        }
        #expect(!text.contains(token), "\(log)")
      }
    }

    @Test func `the service behind the documented nginx knows its host and its clients`() throws {
      try nginx.expectLimitPerClient()
    }

    @Test(arguments: forgedFields)
    func `fields that a client forges have no effect behind the documented nginx`(
      fields: [String]
    ) throws {
      try expectNoEffect(on: service) { address, client in
        try nginx.signUp(address, from: client, fields: fields)
      }
    }

    @Test func `cookies of other services do not pass the documented nginx`() throws {
      try nginx.signUp("a@example.org", from: "203.0.113.9", fields: cookies).expect(202)
    }

    @Test func `events pass the documented nginx immediately`() throws {
      try expectEvents(on: try nginx.connect()) {
        try nginx.signUp("a@example.org", from: "203.0.113.9")
      }
    }
  }

  @Test(.needsNginx) func `the documented nginx speaks HTTP/2`() throws {
    let service = try Self.service()
    let folder = service.folder
    try TestCertificate().write(to: folder)
    let nginx = try Nginx(
      try Self.nginx(in: service)
        .replacing(/ssl_certificate .*;/, with: "ssl_certificate \(folder("tls.crt"));")
        .replacing(/ssl_certificate_key .*;/, with: "ssl_certificate_key \(folder("tls.key"));"),
      in: folder
    )
    let curl = try Child.run(
      [
        "curl", "-sk", "--unix-socket", "nginx.sock", "-w", " %{http_version}",
        "https://list.example.org/livez",
      ], in: folder)
    #expect(curl.output == #"{"status":"alive"} 2"#)
    withExtendedLifetime(nginx) {}
  }

  @Test(.needsNginx, arguments: [":8443", ".:8443"])
  func `the port of the public URL passes the documented nginx, also after a final dot`(
    _ end: String
  ) throws {
    let service = try Enlist(["--public-url", "https://list.example.org:8443"])
    let configuration = try Self.nginx(in: service)
      .replacing("\(Self.options);", with: ";")
      // For this test a certificate would not change anything.
      .replacing(/ssl_certificate.*;/, with: "")
    let nginx = try Nginx(
      // The address of a client of a Unix socket.
      "set_real_ip_from unix:; real_ip_header X-Test-Client;\n\(configuration)",
      host: "list.example.org\(end)", in: service.folder)
    try nginx.signUp("ana@example.org", from: "203.0.113.9").expect(202)
  }

  @Suite(.enabled(if: Child.finds("haproxy"), "haproxy is not installed: Scripts/bootstrap all"))
  struct BehindHAProxy {
    private let service: Enlist
    private let haproxy: HAProxy

    init() throws {
      service = try ProxyDocumentTests.service()
      let bind = HAProxy.bind(in: service.folder)
      let configuration = try ProxyDocumentTests.configuration("haproxy", of: service)
        // Without a certificate, which would not change anything.
        .replacing(/bind :443 ssl .*/, with: "bind \(bind)")
      try #require(configuration.contains(bind))
      haproxy = try HAProxy(configuration, in: service.folder)
    }

    private func signUp(
      _ address: String, from client: String, fields: [String] = []
    ) throws -> Client.Response {
      let connection = try haproxy.connect(from: client)
      try connection.request(
        "POST", "/subscribers", host: "list.example.org",
        fields: ["Content-Type: application/x-www-form-urlencoded"] + fields,
        body: "email=\(address)"
      )
      return try connection.readResponse()
    }

    @Test(arguments: forgedFields)
    func `fields that a client forges have no effect behind the documented HAProxy`(
      fields: [String]
    ) throws {
      try expectNoEffect(on: service) { address, client in
        try signUp(address, from: client, fields: fields)
      }
    }

    @Test func `cookies of other services do not pass the documented HAProxy`() throws {
      try signUp("a@example.org", from: "203.0.113.9", fields: cookies).expect(202)
    }

    @Test func `events pass the documented HAProxy immediately`() throws {
      try expectEvents(on: try haproxy.connect()) {
        try signUp("a@example.org", from: "203.0.113.9")
      }
    }

    @Test func `the log of the documented HAProxy has no token of a link`() throws {
      try expectLinks(of: service, after: 503) { try haproxy.connect() }
      try eventually("the last request") { haproxy.process.output.contains("/livez") }
      #expect(!haproxy.process.output.contains(token))
    }
  }

  // MARK: The service

  /// A service behind a proxy that permits two sign-ups per client.
  private static func service() throws -> Enlist {
    try Enlist([
      "--public-url", "https://list.example.org", "--signup-rate", "2/1h", "--log-level", "info",
    ])
  }

  /// The last documented configuration in a language, with the port of the service.
  private static func configuration(_ language: String, of service: Enlist) throws -> String {
    let text = try Document("docs/operating/proxies.md").text
    let block = try #require(
      text.components(separatedBy: "```\(language)\n").last?.components(separatedBy: "```").first)
    return block.replacing("127.0.0.1:8080", with: "127.0.0.1:\(service.port)")
  }

  /// The documented configuration of nginx, with the Unix socket of the tests.
  private static func nginx(in service: Enlist) throws -> String {
    let listen = Nginx.listen(in: service.folder).replacing(";", with: "\(options);")
    let configuration = try configuration("nginx", of: service)
      .replacing("listen 443\(options);", with: listen)
    try #require(configuration.contains(listen))
    return configuration
  }
}

/// A token as links in mails have it.
private let token = String(String(repeating: "Ab1_", count: 11).dropLast())

/// Requests links of mails through a proxy, and again after the end of the service, when the proxy
/// answers itself.
private func expectLinks(
  of service: Enlist, after status: Int, through connect: () throws -> Client
) throws {
  func get(_ path: String) throws -> Client.Response {
    let client = try connect()
    try client.request("GET", path, host: "list.example.org")
    return try client.readResponse()
  }
  let paths = [
    "/confirm/\(token)", "/unsubscribe/\(token)", "//confirm/\(token)", "/%63onfirm/\(token)",
  ]
  for path in paths {
    let response = try get(path)
    #expect(response.status < 500, "\(response)")
  }
  _ = try service.stop()
  for path in paths + ["/livez"] { try get(path).expect(status) }
}

/// Expects a service to count the sign-ups of two clients apart, and to store where they came from.
///
/// - Parameters:
///   - service: The service, behind a proxy.
///   - signUp: Signs an address up from a client, through the proxy, with the forged fields.
private func expectNoEffect(
  on service: Enlist, _ signUp: (_ address: String, _ client: String) throws -> Client.Response
) throws {
  for name in ["a", "b"] { try signUp("\(name)@example.org", "203.0.113.9").expect(202) }
  try signUp("c@example.org", "203.0.113.9").expect(429)
  try signUp("c@example.org", "192.0.2.1").expect(202)
  for (name, network) in [("a", "203.0.113.0"), ("c", "192.0.2.0")] {
    let run = try service.run("show", "\(name)@example.org")
    #expect(run.output.contains(network), "\(run.output)\(run.errors)")
    #expect(!run.output.contains("198.51.100"), "\(run.output)")
  }
  let log = try service.stop()
  #expect(!log.contains("proxy"), "\(log)")
}

/// Expects the events of a sign-up on a connection to a proxy.
private func expectEvents(
  on stream: Client, of signUp: () throws -> Client.Response
) throws {
  try stream.request("GET", "/status", host: "list.example.org")
  try stream.readHead().expect(200)
  try signUp().expect(202)
  let names = try stream.readEventNames(2)
  #expect(names == ["started", "completed"])
}

extension Trait where Self == ConditionTrait {
  fileprivate static var needsNginx: Self {
    .enabled(if: Child.finds("nginx"), "nginx is not installed: Scripts/bootstrap all")
  }
}
