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
    let networks = ["10.0.0.0/8", "fd00::/8", "unix"].compactMap { AddressNetwork($0) }
    try #require(networks.count == 3)
    return TrustedProxies(networks).client(behind: peer, NameValuePairs(fields))
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
    #expect(TrustedProxies().client(behind: proxyAddress, NameValuePairs(fields)) == proxyAddress)
    #expect(TrustedProxies().client(behind: .local, NameValuePairs(fields)) == .local)
  }

  @Test func `is who a proxy at a Unix socket names`() throws {
    #expect(try client(behind: .local, [("X-Forwarded-For", "203.0.113.9")]) == someone)
  }

  @Test func `is the proxy itself when it names nobody`() throws {
    #expect(try client([("Accept", "*/*")]) == proxyAddress)
  }
}

extension NameValuePairs {
  fileprivate init(_ pairs: [(String, String)]) {
    self.init()
    for (name, value) in pairs {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
      }
    }
  }
}
