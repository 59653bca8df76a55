import TestSupport
import Testing

/// The limits that count clients, in the running service.
@Suite struct ClientLimitTests {
  @Test func `clients behind a trusted proxy are counted by what it says of them`() throws {
    let service = try RunningService(
      ["--signup-rate", "1/1h", "--trusted-proxies", "127.0.0.0/8"]
    )
    func signUp(_ name: String, from clients: String) throws -> Answer {
      try service.answer(
        "POST",
        "/subscribers",
        fields: ["Content-Type: application/x-www-form-urlencoded", "X-Forwarded-For: \(clients)"],
        body: "email=\(name)@example.org"
      )
    }
    #expect(try signUp("a", from: "203.0.113.9").status == 202)
    let refusal = try signUp("b", from: "203.0.113.9")
    #expect(refusal.status == 429)
    #expect(refusal["Retry-After"] == "3600")
    // What the client writes itself stands before what the proxy adds.
    #expect(try signUp("b", from: "198.51.100.1, 203.0.113.9").status == 429)
    #expect(try signUp("b", from: "127.0.0.1, 203.0.113.9").status == 429)
    #expect(try signUp("c", from: "198.51.100.1").status == 202)
    #expect(try service.exportedAddresses() == ["a@example.org", "c@example.org"])
  }

  @Test func `clients cannot name themselves, and this machine is not limited`() throws {
    let service = try RunningService(["--signup-rate", "1/1h"])
    for name in ["a", "b", "c"] {
      #expect(try service.signUp("\(name)@example.org").status == 202)
    }
  }

  @Test func `the event streams of a client behind a trusted proxy are counted, too`() throws {
    let service = try RunningService(
      ["--max-streams-per-client", "1", "--trusted-proxies", "127.0.0.0/8"]
    )
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
