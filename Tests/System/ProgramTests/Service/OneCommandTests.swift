import TestSupport
import Testing

/// Tests that a command executes once at a time and does not delay commands of other addresses.
@Suite struct OneCommandTests {
  @Test func `twenty simultaneous posts of one address store one row`() throws {
    let service = try RunningService()
    let responses = try posts(of: Array(repeating: "ana@example.com", count: 20), to: service)
    #expect(responses.contains { $0.status == 202 })
    for response in responses where response.status != 202 { expectConflict(response) }
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test func `posts of different addresses do not wait for each other`() throws {
    let service = try RunningService()
    let addresses = (1...20).map { "a\($0)@example.com" }
    let responses = try posts(of: addresses, to: service)
    #expect(responses.map(\.status) == Array(repeating: 202, count: 20))
    #expect(Set(try service.exportedAddresses()) == Set(addresses))
    #expect(try service.storedCounts() == (20, 20))
  }

  @Test func `other posts of an address are rejected while one is being stored`() throws {
    let service = try RunningService(["--database-timeout", "60s"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    let first = try service.connect()
    try first.sendSignUp(of: "ana@example.com")
    #expect(try stream.readEvent()?.event == "started")
    // This includes other spellings, because the key of the address is compared.
    for address in ["ana@example.com", "ana@EXAMPLE.com"] {
      for response in try posts(of: Array(repeating: address, count: 10), to: service) {
        #expect(response.status == 409)
        expectConflict(response)
      }
    }
    let other = try service.connect()
    try other.sendSignUp(of: "bob@example.com")
    #expect(try stream.readEvent()?.event == "started")

    try lock.giveBack()
    #expect(try first.readResponse().status == 202)
    #expect(try other.readResponse().status == 202)
    #expect(try stream.readEvent()?.event == "completed")
    #expect(try stream.readEvent()?.event == "completed")
    #expect(try service.signUp("ana@example.com").status == 202)
    #expect(try service.storedCounts() == (2, 3))
  }

  @Test func `with one command for the service, sign-ups execute one at a time`() throws {
    let service = try RunningService(["--command-scope", "service", "--database-timeout", "60s"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    let first = try service.connect()
    try first.sendSignUp(of: "ana@example.com")
    #expect(try stream.readEvent()?.event == "started")
    expectConflict(try service.signUp("bob@example.com"))
    try lock.giveBack()
    #expect(try first.readResponse().status == 202)
    #expect(try service.signUp("bob@example.com").status == 202)
  }

  private func expectConflict(_ response: TestResponse) {
    #expect(response.status == 409)
    #expect(response["Retry-After"] == "1")
    #expect(response.text.contains("/problems/already-executing"))
    #expect(response["Location"] == nil)
  }

  /// Sends all posts before it reads the first response.
  private func posts(of addresses: [String], to service: RunningService) throws -> [TestResponse] {
    let clients = try addresses.map { _ in try service.connect() }
    for (client, address) in zip(clients, addresses) { try client.sendSignUp(of: address) }
    return try clients.map { try $0.readResponse(to: "POST") }
  }
}
