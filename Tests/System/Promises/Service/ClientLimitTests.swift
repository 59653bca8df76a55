import TestSupport
import Testing

/// Tests of the limits per client in the running service.
@Suite struct ClientLimitTests {
  @Test func `clients behind a trusted proxy are counted by their forwarded address`() throws {
    let service = try Enlist(["--signup-rate", "1/1h", "--trusted-proxies", "127.0.0.0/8"])
    func signUp(_ name: String, from clients: String) throws -> Client.Response {
      try service.signUp("\(name)@example.org", fields: ["X-Forwarded-For: \(clients)"])
    }
    try signUp("a", from: "203.0.113.9").expect(202)
    let rejection = try signUp("b", from: "203.0.113.9").expect(429)
    #expect(rejection["Retry-After"] == "3600")
    // The client's own value precedes the address that the proxy appends.
    try signUp("b", from: "198.51.100.1, 203.0.113.9").expect(429)
    try signUp("b", from: "127.0.0.1, 203.0.113.9").expect(429)
    try signUp("c", from: "198.51.100.1").expect(202)
    let addresses = try service.addresses()
    #expect(addresses == ["a@example.org", "c@example.org"])
  }

  @Test func `clients behind a local proxy are identified without any setting`() throws {
    let service = try Enlist(["--signup-rate", "1/1h", "--log-level", "info"])
    func signUp(_ name: String, _ fields: String...) throws -> Client.Response {
      try service.signUp("\(name)@example.org", fields: fields)
    }
    try signUp("a", "X-Forwarded-For: 203.0.113.9").expect(202)
    try signUp("b", "X-Forwarded-For: 203.0.113.9").expect(429)
    try signUp("b", "Forwarded: for=203.0.113.9;proto=https").expect(429)
    try signUp("b", "X-Forwarded-For: 127.0.0.1, 203.0.113.9").expect(429)
    try signUp("c", "Forwarded: for=198.51.100.1").expect(202)
    for name in ["d", "e"] { try signUp(name).expect(202) }
    let log = try service.stop()
    #expect(!log.contains("--trusted-proxies"))
  }

  @Test func `an untrusted proxy is reported once, and its clients are not limited`() throws {
    let service = try Enlist([
      "--signup-rate", "1/1h", "--max-streams-per-client", "1", "--trusted-proxies", "none",
      "--log-level", "info",
    ])
    for name in ["a", "b", "c"] {
      try service.signUp("\(name)@example.org", fields: ["X-Forwarded-For: 203.0.113.9"])
        .expect(202)
    }
    let warnings = try service.stop().split(separator: "\n").filter {
      $0.contains("--trusted-proxies")
    }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("127.0.0.1") == false)
    #expect(warnings.first?.contains("203.0.113") == false)
  }

  @Test func `email checks and event streams have separate rates`() throws {
    let service = try Enlist(["--check-rate", "1/1h", "--stream-rate", "1/1h"])
    let forwarded = ["X-Forwarded-For: 203.0.113.9"]
    func check() throws -> Client.Response {
      try service.post("/email-checks", form: "email=a@example.org", fields: forwarded)
    }
    func stream(_ fields: String...) throws -> Client {
      let client = try service.connect()
      try client.request("GET", "/status", fields: forwarded + fields)
      return client
    }
    try check().expect(200)
    try check().expect(429)
    try stream("Accept: */*").readHead().expect(200)
    let rejected = try stream("Accept: */*").readHead().expect(429)
    #expect(rejected["Retry-After"] == "3600")
    let busy = try stream("Accept: text/event-stream", "Origin: https://a.example")
    try busy.readHead().expect(200)
    #expect(try busy.readEventLine()?.hasPrefix("retry: ") == true)
    #expect(try busy.readEventLine() == ": busy")
  }

  @Test func `only the host of the public URL is served, and healthcheck still works`() throws {
    let service = try Enlist(["--public-url", "https://list.example.org"])
    let forwarded = ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Host: list.example.org"]
    try service.expect([
      // The test clients send `Host: localhost`.
      Row("GET /", 421, "misdirected-request"),
      Row("GET /livez", 200),
      Row("GET /", 200, fields: forwarded),
    ])
    let check = try service.run("healthcheck", "--listen", "127.0.0.1:\(service.port)")
    #expect(check.end == .exit(0), "\(check.errors)")
  }

  @Test func `a client cannot forge its address, and loopback is not limited`() throws {
    let service = try Enlist(["--signup-rate", "1/1h"])
    for name in ["a", "b", "c"] { try service.signUp("\(name)@example.org").expect(202) }
  }

  @Test func `event streams of a client behind a trusted proxy are counted`() throws {
    let service = try Enlist([
      "--max-streams-per-client", "1", "--trusted-proxies", "127.0.0.0/8",
    ])
    func open(from client: String) throws -> Client {
      let connection = try service.connect()
      let fields = ["Accept: text/event-stream", "X-Forwarded-For: \(client)"]
      try connection.request("GET", "/status", fields: fields)
      try connection.readHead().expect(200)
      return connection
    }
    let first = try open(from: "203.0.113.9")
    let second = try open(from: "203.0.113.9")
    let other = try open(from: "203.0.113.10")
    for client in [first, second, other] { _ = try client.readEventLine() }
    #expect(try first.readEventLine() == ": ok")
    #expect(try second.readEventLine() == ": busy")
    #expect(try other.readEventLine() == ": ok")
  }
}
