import HTTPSignals
import Testing

private let proxyAddress = ClientAddress.v4(0x0A00_0001)
private let clientV4 = ClientAddress.v4(0xCB00_7109)
private let clientV6 = ClientAddress.v6(0x2001_0DB8_0000_0000, 1)

/// Identifying the client of a request behind trusted proxies.
@Suite struct TrustedProxiesTests {
  private func client(
    behind peer: ClientAddress = proxyAddress, _ fields: [(String, String)]
  ) throws -> ClientAddress {
    let networks = ["10.0.0.0/8", "fd00::/8", "unix"].compactMap { ClientNetwork($0) }
    try #require(networks.count == 3)
    return TrustedProxies(networks).source(of: peer, FieldList(fields)).client
  }

  @Test(
    arguments: [
      ("203.0.113.9", clientV4),
      (" 203.0.113.9\t", clientV4),
      ("203.0.113.9:4711", clientV4),
      ("2001:db8::1", clientV6),
      ("[2001:db8::1]", clientV6),
      ("[2001:db8::1]:4711", clientV6),
      ("::ffff:203.0.113.9", clientV4),
      ("203.0.113.9, 10.1.2.3, 10.0.0.7", clientV4),
      ("203.0.113.9, fd00::1", clientV4),
      ("198.51.100.1, 203.0.113.9", clientV4),
      ("127.0.0.1, 203.0.113.9", clientV4),
      ("10.0.0.9, 203.0.113.9,", clientV4),
      ("garbage, 203.0.113.9", clientV4),
      ("203.0.113.9, garbage", .unknown),
      ("203.0.113.9, unknown", .unknown),
      ("203.0.113.9:", .unknown),
      ("203.0.113.9 198.51.100.1", .unknown),
      ("[203.0.113.9]", .unknown),
      ("[2001:db8::1", .unknown),
      ("10.1.1.1, 10.2.2.2", .v4(0x0A01_0101)),
      (",", proxyAddress),
      ("", proxyAddress),
    ] as [(String, ClientAddress)]
  )
  func `the client is the rightmost untrusted address in X-Forwarded-For`(
    value: String, expected: ClientAddress
  ) throws {
    #expect(try client([("X-Forwarded-For", value)]) == expected)
  }

  @Test(
    arguments: [
      ("for=203.0.113.9", clientV4),
      ("For=203.0.113.9;proto=https;by=10.0.0.1", clientV4),
      ("proto=https;for=\"203.0.113.9:4711\"", clientV4),
      ("proto=https ; for=203.0.113.9", clientV4),
      ("for=\"[2001:db8::1]:4711\"", clientV6),
      ("for=\"[2001:db8::1]:_port\"", clientV6),
      ("for=[2001:db8::1]", clientV6),
      ("for=\"\\203.0.113.9\"", clientV4),
      ("for=198.51.100.1, for=203.0.113.9, for=10.0.0.7", clientV4),
      ("for=198.51.100.1,for=203.0.113.9", clientV4),
      (", for=203.0.113.9", clientV4),
      ("for=unknown, for=203.0.113.9", clientV4),
      ("for=unknown", .unknown),
      ("for=_hidden", .unknown),
      ("for=203.0.113.9, proto=https", .unknown),
      ("for=10.1.1.1", .v4(0x0A01_0101)),
    ] as [(String, ClientAddress)]
  )
  func `the client is the rightmost untrusted address in Forwarded`(
    value: String, expected: ClientAddress
  ) throws {
    #expect(try client([("Forwarded", value)]) == expected)
  }

  @Test(
    arguments: [
      ("proto=https", "203.0.113.9", clientV4),
      ("host=list.example;proto=https, by=10.0.0.1", "198.51.100.1, 203.0.113.9", clientV4),
      (",", "203.0.113.9", clientV4),
      ("proto=https", "garbage", .unknown),
      ("proto=https", "", .unknown),
      ("proto=https, for=_hidden", "203.0.113.9", .unknown),
      ("proto=https, for=198.51.100.1", "203.0.113.9", .unknown),
      ("proto", "203.0.113.9", .unknown),
    ] as [(String, String, ClientAddress)]
  )
  func `a Forwarded field that names nobody does not contradict X-Forwarded-For`(
    forwarded: String, forwardedFor: String, expected: ClientAddress
  ) throws {
    let fields = [("Forwarded", forwarded), ("X-Forwarded-For", forwardedFor)]
    #expect(try client(fields) == expected)
  }

  @Test(
    arguments: [
      // A value forged by the client, followed by the element that the proxy appends.
      "for=\", for=203.0.113.9",
      "for=\", for=\"[2001:db8::1]\"",
      "for=\"\\, for=\"203.0.113.9\"",
      "for=198.51.100.1;, for=203.0.113.9",
      "for, for=203.0.113.9",
      "for=198.51.100.1;for=198.51.100.2, for=203.0.113.9",
      "for=198.51.100.1 for=203.0.113.9",
      "=198.51.100.1, for=203.0.113.9",
      "for=203.0.113.9;x=\"",
    ]
  )
  func `a malformed Forwarded field makes the client unknown and cannot forge an address`(
    value: String
  ) throws {
    #expect(try client([("Forwarded", value)]) == .unknown)
  }

  @Test func `repeated forwarding fields form one list`() throws {
    #expect(
      try client([("X-Forwarded-For", "198.51.100.1"), ("x-forwarded-for", "203.0.113.9")])
        == clientV4
    )
    #expect(
      try client([("Forwarded", "for=198.51.100.1"), ("forwarded", "for=203.0.113.9")])
        == clientV4
    )
  }

  @Test func `the client is unknown when Forwarded and X-Forwarded-For disagree`() throws {
    let forwardedFor = ("X-Forwarded-For", "203.0.113.9")
    #expect(try client([forwardedFor, ("Forwarded", "for=203.0.113.9")]) == clientV4)
    #expect(try client([forwardedFor, ("Forwarded", "for=198.51.100.1")]) == .unknown)
    #expect(try client([forwardedFor, ("Forwarded", "for=127.0.0.1")]) == .unknown)
    #expect(try client([forwardedFor, ("Forwarded", "\"")]) == .unknown)
  }

  @Test func `forwarding fields from an untrusted peer are ignored`() throws {
    let stranger = ClientAddress.v4(0xC633_6401)
    let fields = [("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=203.0.113.9")]
    #expect(try client(behind: stranger, fields) == stranger)
    let none = TrustedProxies()
    #expect(none.source(of: proxyAddress, FieldList(fields)).client == proxyAddress)
    #expect(none.source(of: .local, FieldList(fields)).client == .local)
  }

  @Test func `a trusted proxy at a Unix socket names the client`() throws {
    #expect(try client(behind: .local, [("X-Forwarded-For", "203.0.113.9")]) == clientV4)
  }

  @Test func `a trusted proxy that names no client is the client itself`() throws {
    #expect(try client([("Accept", "*/*")]) == proxyAddress)
  }

  private func source(
    of peer: ClientAddress, _ fields: [(String, String)],
    trusting networks: [ClientNetwork] = ClientNetwork.loopback
  ) -> RequestSource {
    TrustedProxies(networks).source(of: peer, FieldList(fields))
  }

  @Test(arguments: [.local, .v4(0x7F00_0001), .v6(0, 1)] as [ClientAddress])
  func `a loopback peer is exempt from limits unless it forwards for another client`(
    peer: ClientAddress
  ) {
    #expect(source(of: peer, [("Host", "a")]).limitedClient == nil)
    #expect(source(of: peer, [("X-Forwarded-For", "203.0.113.9")]).limitedClient == clientV4)
    #expect(source(of: peer, [("Forwarded", "for=203.0.113.9")]).limitedClient == clientV4)
    #expect(source(of: peer, [("X-Forwarded-For", "127.0.0.1, ::1")]).limitedClient == nil)
  }

  @Test(
    arguments: [
      "127.0.0.1, 203.0.113.9", "::1,203.0.113.9", "203.0.113.9, 127.0.0.1",
      "127.0.0.1, 203.0.113.9, ::1",
    ]
  )
  func `a remote client cannot pass for loopback through a proxy`(value: String) {
    let peer = ClientAddress.v4(0x7F00_0001)
    #expect(source(of: peer, [("X-Forwarded-For", value)]).limitedClient == clientV4)
    // The proxy writes one field and passes the other one through as the client sent it.
    for own in ["for=127.0.0.1", "for=\"[::1]\"", "for=198.51.100.1", "\""] {
      let fields = [("Forwarded", own), ("X-Forwarded-For", value)]
      #expect(source(of: peer, fields).limitedClient == .unknown)
    }
  }

  @Test func `forwarding fields from a directly connected remote client are ignored`() {
    let fields = [
      ("X-Forwarded-For", "127.0.0.1"), ("Forwarded", "for=127.0.0.1;host=a"),
      ("X-Forwarded-Host", "a"),
    ]
    #expect(source(of: clientV4, fields) == RequestSource(client: clientV4))
    #expect(source(of: clientV6, fields) == RequestSource(client: clientV6))
    #expect(source(of: .unknown, fields) == RequestSource(client: .unknown))
  }

  @Test(
    arguments: [
      "127.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1", "::1",
      "fd00::1", "fe80::1",
    ]
  )
  func `an untrusted proxy in a local range is exempt from limits`(text: String) throws {
    let peer = try #require(ClientAddress(text))
    for field in [("Forwarded", "for=203.0.113.9"), ("X-Forwarded-For", "203.0.113.9")] {
      let source = source(of: peer, [field], trusting: [])
      #expect(source == RequestSource(client: peer, peer: .untrustedProxy))
      #expect(source.limitedClient == nil)
    }
    #expect(source(of: peer, [("Host", "a")], trusting: []).peer == .client)
  }

  @Test(
    arguments: [
      "9.255.255.255", "11.0.0.0", "172.15.0.1", "172.32.0.1", "192.167.0.1", "192.169.0.1",
      "169.253.0.1", "126.0.0.1", "128.0.0.1", "203.0.113.9", "2001:db8::1", "fbff::1", "fe00::1",
      "fec0::1", "::2",
    ]
  )
  func `a peer outside the local ranges is an ordinary client even if it forwards`(
    text: String
  ) throws {
    let peer = try #require(ClientAddress(text))
    let source = source(of: peer, [("X-Forwarded-For", "127.0.0.1")], trusting: [])
    #expect(source == RequestSource(client: peer))
    #expect(source.limitedClient == peer)
  }

  @Test func `reads at most 32 nodes of a forwarding chain, from its trusted end`() throws {
    let long = Array(repeating: "198.51.100.1", count: 500).joined(separator: ",")
    #expect(try client([("X-Forwarded-For", long + ", 203.0.113.9, 10.0.0.7")]) == clientV4)
    let proxies = Array(repeating: "10.0.0.7", count: 32).joined(separator: ",")
    #expect(try client([("X-Forwarded-For", "203.0.113.9,\(proxies)")]) == .unknown)
    #expect(try client([("X-Forwarded-For", String(repeating: ",", count: 500))]) == .unknown)
    // Because of its quotation marks, Forwarded can only be parsed from the beginning.
    let elements = Array(repeating: "for=198.51.100.1", count: 32).joined(separator: ",")
    #expect(try client([("Forwarded", "\(elements),for=203.0.113.9")]) == .unknown)
    let pairs = Array(repeating: "a=b", count: 32).joined(separator: ";")
    #expect(try client([("Forwarded", "\(pairs);for=203.0.113.9")]) == .unknown)
  }

  @Test(
    arguments: [
      ([("Forwarded", "for=203.0.113.9;host=list.example")], "list.example"),
      ([("Forwarded", "Host=\"list.example:8443\";for=203.0.113.9")], "list.example:8443"),
      // The element forged by the client precedes the one from the first proxy.
      (
        [("Forwarded", "for=198.51.100.1;host=evil, for=203.0.113.9;host=a, for=127.0.0.1;host=b")],
        "a"
      ),
      ([("Forwarded", "for=198.51.100.1;host=evil, for=203.0.113.9, for=127.0.0.1;host=b")], "b"),
      ([("Forwarded", "host=evil, for=203.0.113.9")], nil),
      ([("X-Forwarded-Host", "list.example")], "list.example"),
      ([("X-Forwarded-Host", "evil, list.example ")], "list.example"),
      ([("X-Forwarded-Host", "evil"), ("X-Forwarded-Host", "list.example")], "list.example"),
      ([("Forwarded", "for=203.0.113.9;host=A"), ("X-Forwarded-Host", "a")], "A"),
      ([("Forwarded", "for=203.0.113.9;host=a"), ("X-Forwarded-Host", "b")], ""),
      ([("Forwarded", "\"")], nil),
      ([("X-Forwarded-For", "203.0.113.9")], nil),
      ([], nil),
    ] as [([(String, String)], String?)]
  )
  func `the forwarded host is the one requested from the first trusted proxy`(
    fields: [(String, String)], host: String?
  ) {
    #expect(source(of: .v4(0x7F00_0001), fields).forwardedHost == host)
  }
}

extension FieldList {
  fileprivate init(_ pairs: [(String, String)]) {
    self.init()
    for (name, value) in pairs {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
      }
    }
  }
}
