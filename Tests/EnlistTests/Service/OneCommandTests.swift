import TestSupport
import Testing

@Suite struct OneCommandTests {
  @Test func `twenty posts of one address at a time make one row`() throws {
    let service = try RunningService()
    let answers = try posts(of: Array(repeating: "ana@example.com", count: 20), to: service)
    #expect(answers.contains { $0.status == 202 })
    for answer in answers where answer.status != 202 {
      #expect(answer.status == 409)
      #expect(answer["Retry-After"] == "1")
    }
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test func `posts of different addresses never wait for each other`() throws {
    let service = try RunningService()
    let addresses = (1...20).map { "a\($0)@example.com" }
    let answers = try posts(of: addresses, to: service)
    #expect(answers.map(\.status) == Array(repeating: 202, count: 20))
    #expect(Set(try service.exportedAddresses()) == Set(addresses))
  }

  /// Sends all of the posts before it reads the first answer.
  private func posts(of addresses: [String], to service: RunningService) throws -> [Answer] {
    let clients = try addresses.map { _ in try service.connect() }
    for (client, address) in zip(clients, addresses) {
      try client.request(
        "POST",
        "/subscribers",
        fields: ["Content-Type: application/json"],
        body: #"{"email":"\#(address)"}"#
      )
    }
    return try clients.map { try $0.readAnswer(to: "POST") }
  }
}
