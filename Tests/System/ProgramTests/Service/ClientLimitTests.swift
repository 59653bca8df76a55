import TestSupport
import Testing

/// Tests of the limits per client in the running service.
@Suite struct ClientLimitTests {
  @Test func `clients behind a trusted proxy are counted by their forwarded address`() throws {
    let service = try RunningService(["--signup-rate", "1/1h", "--trusted-proxies", "127.0.0.0/8"])
    func signUp(_ name: String, from clients: String) throws -> TestResponse {
      try service.request(
        "POST", "/subscribers",
        fields: ["Content-Type: application/x-www-form-urlencoded", "X-Forwarded-For: \(clients)"],
        body: "email=\(name)@example.org")
    }
    #expect(try signUp("a", from: "203.0.113.9").status == 202)
    let rejection = try signUp("b", from: "203.0.113.9")
    #expect(rejection.status == 429)
    #expect(rejection["Retry-After"] == "3600")
    // The client's own value precedes the address that the proxy appends.
    #expect(try signUp("b", from: "198.51.100.1, 203.0.113.9").status == 429)
    #expect(try signUp("b", from: "127.0.0.1, 203.0.113.9").status == 429)
    #expect(try signUp("c", from: "198.51.100.1").status == 202)
    #expect(try service.exportedAddresses() == ["a@example.org", "c@example.org"])
  }

  @Test func `clients behind a local proxy are identified without any setting`() throws {
    let service = try RunningService(["--signup-rate", "1/1h"])
    func signUp(_ name: String, _ fields: [String]) throws -> Int {
      try service.request(
        "POST", "/subscribers",
        fields: ["Content-Type: application/x-www-form-urlencoded"] + fields,
        body: "email=\(name)@example.org"
      ).status
    }
    #expect(try signUp("a", ["X-Forwarded-For: 203.0.113.9"]) == 202)
    #expect(try signUp("b", ["X-Forwarded-For: 203.0.113.9"]) == 429)
    #expect(try signUp("b", ["Forwarded: for=203.0.113.9;proto=https"]) == 429)
    #expect(try signUp("b", ["X-Forwarded-For: 127.0.0.1, 203.0.113.9"]) == 429)
    #expect(try signUp("c", ["Forwarded: for=198.51.100.1"]) == 202)
    for name in ["d", "e"] { #expect(try signUp(name, []) == 202) }
    #expect(try !service.endAndReadLog().contains("--trusted-proxies"))
  }

  @Test func `an untrusted proxy is reported once, and its clients are not limited`()
    throws
  {
    let service = try RunningService([
      "--signup-rate", "1/1h", "--max-streams-per-client", "1", "--trusted-proxies", "none",
    ])
    for name in ["a", "b", "c"] {
      let response = try service.request(
        "POST",
        "/subscribers",
        fields: [
          "Content-Type: application/x-www-form-urlencoded", "X-Forwarded-For: 203.0.113.9",
        ],
        body: "email=\(name)@example.org"
      )
      #expect(response.status == 202)
    }
    let warnings = try service.endAndReadLog().split(separator: "\n").filter {
      $0.contains("--trusted-proxies")
    }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("127.0.0.1") == false)
    #expect(warnings.first?.contains("203.0.113") == false)
  }

  @Test func `email checks and event streams have separate rates`() throws {
    let service = try RunningService(["--check-rate", "1/1h", "--stream-rate", "1/1h"])
    let fields = [
      "Content-Type: application/x-www-form-urlencoded", "X-Forwarded-For: 203.0.113.9",
    ]
    func ask(_ method: String, _ path: String, _ accept: String) throws -> TestResponse {
      let connection = try service.connect()
      let body = method == "POST" ? "email=a@example.org" : nil
      try connection.request(method, path, fields: fields + ["Accept: \(accept)"], body: body)
      return try connection.readHead()
    }
    #expect(try ask("POST", "/email-checks", "*/*").status == 200)
    #expect(try ask("POST", "/email-checks", "*/*").status == 429)
    #expect(try ask("GET", "/status", "*/*").status == 200)
    let rejected = try ask("GET", "/status", "*/*")
    #expect(rejected.status == 429)
    #expect(rejected["Retry-After"] == "3600")
    let connection = try service.connect()
    try connection.request(
      "GET", "/status", fields: fields + ["Accept: text/event-stream", "Origin: https://a.example"])
    #expect(try connection.readHead().status == 200)
    #expect(try connection.readEventLine()?.hasPrefix("retry: ") == true)
    #expect(try connection.readEventLine() == ": busy")
  }

  @Test func `only the host of the public URL is served, and healthcheck still works`() throws {
    let service = try RunningService(["--public-url", "https://list.example.org"])
    // The test clients send `Host: localhost`.
    #expect(try service.request("GET", "/").status == 421)
    #expect(try service.request("GET", "/livez").status == 200)
    let forwarded = ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Host: list.example.org"]
    #expect(try service.request("GET", "/", fields: forwarded).status == 200)
    let check = try ChildProcess(
      "enlist", ["healthcheck", "--listen", "127.0.0.1:\(service.port)"])
    #expect(try check.wait() == .exit(0))
  }

  @Test func `a client cannot forge its address, and loopback is not limited`() throws {
    let service = try RunningService(["--signup-rate", "1/1h"])
    for name in ["a", "b", "c"] {
      #expect(try service.signUp("\(name)@example.org").status == 202)
    }
  }

  @Test func `event streams of a client behind a trusted proxy are counted`() throws {
    let service = try RunningService([
      "--max-streams-per-client", "1", "--trusted-proxies", "127.0.0.0/8",
    ])
    func open(from client: String) throws -> SocketClient {
      let connection = try service.connect()
      let fields = ["Accept: text/event-stream", "X-Forwarded-For: \(client)"]
      try connection.request("GET", "/status", fields: fields)
      #expect(try connection.readHead().status == 200)
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
