import HTTPSignals
import Testing

private let proxyAddress = ClientAddress.v4(0x0A00_0001)
private let someone = ClientAddress.v4(0xCB00_7109)
private let someoneSix = ClientAddress.v6(0x2001_0DB8_0000_0000, 1)

/// Who sent a request, when proxies in front tell it.
@Suite struct TrustedProxiesTests {
  private func client(
    behind peer: ClientAddress = proxyAddress,
    _ fields: [(String, String)]
  ) throws -> ClientAddress {
    let networks = ["10.0.0.0/8", "fd00::/8", "unix"].compactMap { CIDRBlock($0) }
    try #require(networks.count == 3)
    return TrustedProxies(networks).source(of: peer, FieldList(fields)).client
  }

  @Test(
    arguments: [
      ("203.0.113.9", someone),
      (" 203.0.113.9\t", someone),
      ("203.0.113.9:4711", someone),
      ("2001:db8::1", someoneSix),
      ("[2001:db8::1]", someoneSix),
      ("[2001:db8::1]:4711", someoneSix),
      ("::ffff:203.0.113.9", someone),
      ("203.0.113.9, 10.1.2.3, 10.0.0.7", someone),
      ("203.0.113.9, fd00::1", someone),
      ("198.51.100.1, 203.0.113.9", someone),
      ("127.0.0.1, 203.0.113.9", someone),
      ("10.0.0.9, 203.0.113.9,", someone),
      ("garbage, 203.0.113.9", someone),
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
  func `is the rightmost of X-Forwarded-For that is no proxy`(
    value: String,
    expected: ClientAddress
  ) throws {
    #expect(try client([("X-Forwarded-For", value)]) == expected)
  }

  @Test(
    arguments: [
      ("for=203.0.113.9", someone),
      ("For=203.0.113.9;proto=https;by=10.0.0.1", someone),
      ("proto=https;for=\"203.0.113.9:4711\"", someone),
      ("proto=https ; for=203.0.113.9", someone),
      ("for=\"[2001:db8::1]:4711\"", someoneSix),
      ("for=\"[2001:db8::1]:_port\"", someoneSix),
      ("for=[2001:db8::1]", someoneSix),
      ("for=\"\\203.0.113.9\"", someone),
      ("for=198.51.100.1, for=203.0.113.9, for=10.0.0.7", someone),
      ("for=198.51.100.1,for=203.0.113.9", someone),
      (", for=203.0.113.9", someone),
      ("for=unknown, for=203.0.113.9", someone),
      ("for=unknown", .unknown),
      ("for=_hidden", .unknown),
      ("for=203.0.113.9, proto=https", .unknown),
      ("for=10.1.1.1", .v4(0x0A01_0101)),
    ] as [(String, ClientAddress)]
  )
  func `is the rightmost of Forwarded that is no proxy`(
    value: String,
    expected: ClientAddress
  ) throws {
    #expect(try client([("Forwarded", value)]) == expected)
  }

  @Test(
    arguments: [
      // What a client may send, and the proxy's addition behind it.
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
  func `is unknown where Forwarded cannot be read, never who the client claims to be`(
    value: String
  ) throws {
    #expect(try client([("Forwarded", value)]) == .unknown)
  }

  @Test func `several fields of a name are one list`() throws {
    #expect(
      try client([("X-Forwarded-For", "198.51.100.1"), ("x-forwarded-for", "203.0.113.9")])
        == someone
    )
    #expect(
      try client([("Forwarded", "for=198.51.100.1"), ("forwarded", "for=203.0.113.9")])
        == someone
    )
  }

  @Test func `both fields have to agree, since a proxy passes one of them on unread`() throws {
    let forwardedFor = ("X-Forwarded-For", "203.0.113.9")
    #expect(try client([forwardedFor, ("Forwarded", "for=203.0.113.9")]) == someone)
    #expect(try client([forwardedFor, ("Forwarded", "for=198.51.100.1")]) == .unknown)
    #expect(try client([forwardedFor, ("Forwarded", "for=127.0.0.1")]) == .unknown)
    #expect(try client([forwardedFor, ("Forwarded", "\"")]) == .unknown)
  }

  @Test func `is the peer itself, whatever it says, unless it is a proxy`() throws {
    let stranger = ClientAddress.v4(0xC633_6401)
    let fields = [("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=203.0.113.9")]
    #expect(try client(behind: stranger, fields) == stranger)
    let nobody = TrustedProxies()
    #expect(nobody.source(of: proxyAddress, FieldList(fields)).client == proxyAddress)
    #expect(nobody.source(of: .local, FieldList(fields)).client == .local)
  }

  @Test func `is who a proxy at a Unix socket names`() throws {
    #expect(try client(behind: .local, [("X-Forwarded-For", "203.0.113.9")]) == someone)
  }

  @Test func `is the proxy itself when it names nobody`() throws {
    #expect(try client([("Accept", "*/*")]) == proxyAddress)
  }

  private func source(
    of peer: ClientAddress,
    _ fields: [(String, String)],
    trusting networks: [CIDRBlock] = CIDRBlock.loopback
  ) -> RequestSource {
    TrustedProxies(networks).source(of: peer, FieldList(fields))
  }

  @Test(arguments: [.local, .v4(0x7F00_0001), .v6(0, 1)] as [ClientAddress])
  func `a peer on this machine is the machine, unless it says for whom it asks`(
    peer: ClientAddress
  ) {
    #expect(source(of: peer, [("Host", "a")]).limitedClient == nil)
    #expect(source(of: peer, [("X-Forwarded-For", "203.0.113.9")]).limitedClient == someone)
    #expect(source(of: peer, [("Forwarded", "for=203.0.113.9")]).limitedClient == someone)
    #expect(source(of: peer, [("X-Forwarded-For", "127.0.0.1, ::1")]).limitedClient == nil)
  }

  @Test(
    arguments: [
      "127.0.0.1, 203.0.113.9", "::1,203.0.113.9", "203.0.113.9, 127.0.0.1",
      "127.0.0.1, 203.0.113.9, ::1",
    ]
  )
  func `a remote client does not become this machine by saying so to a proxy`(value: String) {
    let peer = ClientAddress.v4(0x7F00_0001)
    #expect(source(of: peer, [("X-Forwarded-For", value)]).limitedClient == someone)
    // The proxy adds one field and passes the other one on as the client sent it.
    for own in ["for=127.0.0.1", "for=\"[::1]\"", "for=198.51.100.1", "\""] {
      let fields = [("Forwarded", own), ("X-Forwarded-For", value)]
      #expect(source(of: peer, fields).limitedClient == .unknown)
    }
  }

  @Test func `a remote client that connects itself is believed nothing`() {
    let fields = [
      ("X-Forwarded-For", "127.0.0.1"), ("Forwarded", "for=127.0.0.1;host=a"),
      ("X-Forwarded-Host", "a"),
    ]
    #expect(source(of: someone, fields) == RequestSource(client: someone))
    #expect(source(of: someoneSix, fields) == RequestSource(client: someoneSix))
    #expect(source(of: .unknown, fields) == RequestSource(client: .unknown))
  }

  @Test(
    arguments: [
      "127.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1", "::1",
      "fd00::1", "fe80::1",
    ]
  )
  func `a peer of a local range that forwards and is not trusted has no limit`(
    text: String
  ) throws {
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
  func `a peer of another range that forwards is an ordinary client`(text: String) throws {
    let peer = try #require(ClientAddress(text))
    let source = source(of: peer, [("X-Forwarded-For", "127.0.0.1")], trusting: [])
    #expect(source == RequestSource(client: peer))
    #expect(source.limitedClient == peer)
  }

  @Test func `a chain is read from its trusted end, and no further than thirty-two nodes`() throws {
    let long = Array(repeating: "198.51.100.1", count: 500).joined(separator: ",")
    #expect(try client([("X-Forwarded-For", long + ", 203.0.113.9, 10.0.0.7")]) == someone)
    let proxies = Array(repeating: "10.0.0.7", count: 32).joined(separator: ",")
    #expect(try client([("X-Forwarded-For", "203.0.113.9,\(proxies)")]) == .unknown)
    #expect(try client([("X-Forwarded-For", String(repeating: ",", count: 500))]) == .unknown)
    // Quotation marks can only be read from the beginning, so it cannot be skipped here.
    let elements = Array(repeating: "for=198.51.100.1", count: 32).joined(separator: ",")
    #expect(try client([("Forwarded", "\(elements),for=203.0.113.9")]) == .unknown)
    let pairs = Array(repeating: "a=b", count: 32).joined(separator: ";")
    #expect(try client([("Forwarded", "\(pairs);for=203.0.113.9")]) == .unknown)
  }

  @Test(
    arguments: [
      ([("Forwarded", "for=203.0.113.9;host=list.example")], "list.example"),
      ([("Forwarded", "Host=\"list.example:8443\";for=203.0.113.9")], "list.example:8443"),
      // What the client says itself stands before what the first proxy says.
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
  func `the host is the one that the first trusted proxy was asked for`(
    fields: [(String, String)],
    host: String?
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
