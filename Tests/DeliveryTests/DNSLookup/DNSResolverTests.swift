import Delivery
import MailingList
import Signals
import TestSupport
import Testing

/// Deliverability lookups, sent to a DNS server on the loopback interface.
@Suite struct DNSResolverTests {
  private static let names: [String: DNSTestServer.TestResponse] = [
    "plain.example": .records([.mx(10, "mx.plain.example"), .mx(20, "mx2.plain.example")]),
    "null.example": .records([.mx(0, "")]),
    "null-beside.example": .records([.mx(0, ""), .mx(10, "mx.plain.example")]),
    "address.example": .records([.a(93, 184, 216, 34)]),
    "six.example": .records([.aaaa([0x26, 0x06] + [UInt8](repeating: 1, count: 14))]),
    "private.example": .records([.a(10, 0, 0, 1), .a(127, 0, 0, 1), .a(192, 168, 1, 1)]),
    "private-six.example": .records([.aaaa([0xFD] + [UInt8](repeating: 0, count: 15))]),
    "disowned.example": .records([.a(93, 184, 216, 34), .txt("v=spf1 -all")]),
    "softer.example": .records([.a(93, 184, 216, 34), .txt("v=spf1 a -all"), .txt("x")]),
    "empty.example": .records([.txt("nothing else")]),
    "broken.example": .failure,
    "silent.example": .silence,
    "xn--bcher-kva.example": .records([.mx(10, "mx.plain.example")]),
  ]

  private func finding(
    _ domain: String, from server: DNSTestServer
  ) async throws
    -> DeliverabilityFinding?
  {
    let lookup = try DNSResolver(server: DNSServer("127.0.0.1:\(server.port)"), laneCount: 1)
    return await lookup.lookUp(domain).first()
  }

  @Test(
    arguments: [
      ("plain.example", .deliverable), ("null.example", .undeliverable(.nullMX)),
      ("null-beside.example", .deliverable), ("address.example", .deliverable),
      ("six.example", .deliverable), ("private.example", .undeliverable(.noAddress)),
      ("private-six.example", .undeliverable(.noAddress)),
      ("disowned.example", .undeliverable(.noMail)),
      ("softer.example", .deliverable), ("empty.example", .undeliverable(.noAddress)),
      ("missing.example", .undeliverable(.noDomain)), ("broken.example", .unknown(.serverFailure)),
      ("xn--bcher-kva.example", .deliverable),
    ] as [(String, Deliverability)]
  )
  func `finds out whether a domain accepts mail`(
    domain: String, expected: Deliverability
  ) async throws {
    let server = try DNSTestServer(Self.names)
    #expect(try await finding(domain, from: server)?.deliverability == expected)
  }

  @Test func `a lookup ends with unknown when the DNS server does not answer`() async throws {
    let server = try DNSTestServer(Self.names)
    let finding = try await finding("silent.example", from: server)
    #expect(finding?.deliverability == .unknown(.serverFailure))
    #expect(Set(server.asked) == ["silent.example 15"])
  }

  @Test(
    arguments: [
      [], [0xC0], [0xC0, 0x0C, 0x00, 0x0F], [0xC0, 0x0C, 0, 15, 0, 1, 0, 0, 1, 44, 0xFF, 0xFF, 0],
      // A name that points to itself, and a label longer than the message.
      [0xC0, 0x20, 0, 15, 0, 1, 0, 0, 1, 44, 0, 0], [0x3F, 0x61],
    ] as [[UInt8]]
  )
  func `a lookup ends with unknown after a malformed DNS answer`(bytes: [UInt8]) async throws {
    let server = try DNSTestServer(["damaged.example": .bytes(bytes)])
    let finding = try await finding("damaged.example", from: server)
    #expect(finding?.deliverability == .unknown(.serverFailure))
  }

  @Test func `a domain with only a CNAME record is undeliverable`() async throws {
    // The answer contains a CNAME record only.
    let alias: [UInt8] = [0xC0, 0x0C, 0, 5, 0, 1, 0, 0, 1, 44, 0, 3, 1, 0x61, 0]
    let server = try DNSTestServer(["alias.example": .bytes(alias)])
    let finding = try await finding("alias.example", from: server)
    #expect(finding?.deliverability == .undeliverable(.noAddress))
  }

  @Test func `a finding has the shortest time to live of its records`() async throws {
    let server = try DNSTestServer(Self.names)
    #expect(try await finding("plain.example", from: server)?.timeToLive == .seconds(300))
    #expect(try await finding("missing.example", from: server)?.timeToLive == nil)
  }

  @Test func `looks up addresses only if a domain has no MX record`() async throws {
    let server = try DNSTestServer(Self.names)
    _ = try await finding("plain.example", from: server)
    #expect(server.asked == ["plain.example 15"])
    _ = try await finding("private.example", from: server)
    #expect(
      server.asked.dropFirst() == ["private.example 15", "private.example 1", "private.example 28"])
  }

  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1:53"), ("10.1.2.3:5353", "10.1.2.3:5353"), ("localhost", nil),
      ("1.2.3", nil), ("1.2.3.4:0", nil), ("1.2.3.256", nil), ("1.2.3.4:x", nil), ("", nil),
      ("1.2.3.4:53:53", nil),
    ] as [(String, String?)]
  )
  func `parses the address and the port of a DNS server`(text: String, expected: String?) {
    #expect(DNSServer(text)?.description == expected)
  }
}
