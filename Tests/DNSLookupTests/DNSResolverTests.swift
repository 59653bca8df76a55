import DNSLookup
import MailingList
import Signals
import TestSupport
import Testing

/// What the DNS says of a domain, asked of a real server.
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

  private func finding(_ domain: String, asking server: DNSTestServer) async throws
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
  func `tells who takes mail`(domain: String, expected: Deliverability) async throws {
    let server = try DNSTestServer(Self.names)
    #expect(try await finding(domain, asking: server)?.deliverability == expected)
  }

  @Test func `a server that is silent is doubt, and no more is asked`() async throws {
    let server = try DNSTestServer(Self.names)
    let finding = try await finding("silent.example", asking: server)
    #expect(finding?.deliverability == .unknown(.serverFailure))
    #expect(Set(server.asked) == ["silent.example 15"])
  }

  @Test(
    arguments: [
      [], [0xC0], [0xC0, 0x0C, 0x00, 0x0F], [0xC0, 0x0C, 0, 15, 0, 1, 0, 0, 1, 44, 0xFF, 0xFF, 0],
      // A name that points to itself, and a label that is longer than the message.
      [0xC0, 0x20, 0, 15, 0, 1, 0, 0, 1, 44, 0, 0], [0x3F, 0x61],
    ] as [[UInt8]]
  )
  func `an answer that cannot be read is doubt, not a no`(bytes: [UInt8]) async throws {
    let server = try DNSTestServer(["damaged.example": .bytes(bytes)])
    let finding = try await finding("damaged.example", asking: server)
    #expect(finding?.deliverability == .unknown(.serverFailure))
  }

  @Test func `a name that stands for another one has what that has`() async throws {
    // A CNAME alone: no record of the type that was asked for.
    let alias: [UInt8] = [0xC0, 0x0C, 0, 5, 0, 1, 0, 0, 1, 44, 0, 3, 1, 0x61, 0]
    let server = try DNSTestServer(["alias.example": .bytes(alias)])
    let finding = try await finding("alias.example", asking: server)
    #expect(finding?.deliverability == .undeliverable(.noAddress))
  }

  @Test func `the shortest life of the records is how long the finding holds`() async throws {
    let server = try DNSTestServer(Self.names)
    #expect(try await finding("plain.example", asking: server)?.timeToLive == .seconds(300))
    #expect(try await finding("missing.example", asking: server)?.timeToLive == nil)
  }

  @Test func `asks for a mail server first, and for addresses only without one`() async throws {
    let server = try DNSTestServer(Self.names)
    _ = try await finding("plain.example", asking: server)
    #expect(server.asked == ["plain.example 15"])
    _ = try await finding("private.example", asking: server)
    #expect(
      server.asked.dropFirst() == ["private.example 15", "private.example 1", "private.example 28"]
    )
  }

  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1:53"), ("10.1.2.3:5353", "10.1.2.3:5353"), ("localhost", nil),
      ("1.2.3", nil), ("1.2.3.4:0", nil), ("1.2.3.256", nil), ("1.2.3.4:x", nil), ("", nil),
      ("1.2.3.4:53:53", nil),
    ] as [(String, String?)]
  )
  func `reads the address of a server`(text: String, read: String?) {
    #expect(DNSServer(text)?.description == read)
  }
}
