import TestSupport
import Testing

/// Tests of `--check-deliverability` with a DNS test server.
@Suite struct DeliverabilityTests {
  private func serviceAsking(_ server: DNSTestServer) throws -> RunningService {
    try RunningService([
      "--check-deliverability", "on", "--dns-server", "127.0.0.1:\(server.port)",
    ])
  }

  @Test func `a domain that does not accept mail fails the execution before it is stored`() throws {
    let server = try DNSTestServer([
      "here.org": .records([.mx(10, "mx.here.org")]), "gmial.com": .records([.mx(0, "")]),
    ])
    let service = try serviceAsking(server)
    let status = try service.stream()

    let rejected = try service.signUp("ana@gmial.com")
    #expect(rejected.status == 422)
    #expect(rejected.text.contains(#""code":"undeliverable""#))
    #expect(rejected.text.contains(#""suggestion":"ana@gmail.com""#))
    #expect(try service.signUp("ana@missing.org").text.contains("That domain does not exist."))
    #expect(try service.signUp("ana@here.org").status == 202)

    let events = try (0..<6).map { _ in try #require(try status.readEvent()).event }
    #expect(events == ["started", "failed", "started", "failed", "started", "completed"])
    #expect(try service.exportedAddresses() == ["ana@here.org"])
  }

  @Test func `an inconclusive DNS answer does not reject a sign-up`() throws {
    let server = try DNSTestServer(["broken.org": .failure])
    let service = try serviceAsking(server)
    #expect(try service.signUp("ana@broken.org").status == 202)
    #expect(try service.exportedAddresses() == ["ana@broken.org"])
  }

  @Test func `invalid addresses and a disabled check cause no DNS query`() throws {
    let server = try DNSTestServer(["here.org": .records([.mx(10, "mx.here.org")])])
    let service = try serviceAsking(server)
    #expect(try service.signUp("ana@@here.org").status == 422)
    #expect(server.asked.isEmpty)
    let usual = try RunningService(["--dns-server", "127.0.0.1:\(server.port)"])
    #expect(try usual.signUp("ana@nowhere.org").status == 202)
    #expect(server.asked.isEmpty)
  }
}
