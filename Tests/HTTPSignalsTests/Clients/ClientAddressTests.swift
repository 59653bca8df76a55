import HTTPSignals
import Testing

/// Client addresses as text, as limit keys, and as networks.
@Suite struct ClientAddressTests {
  @Test(
    arguments: [
      (.v4(0xC000_0201), "192.0.2.1"),
      (.v4(0), "0.0.0.0"),
      (.v4(.max), "255.255.255.255"),
      (.v6(0, 1), "0:0:0:0:0:0:0:1"),
      (.v6(0x2001_0DB8_0000_00AB, 0xFFFF_0001_0020_0300), "2001:db8:0:ab:ffff:1:20:300"),
      (.v6(.max, .max), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
      (.local, nil),
      (.unknown, nil),
    ] as [(ClientAddress, String?)]
  )
  func `writes a client address as text`(address: ClientAddress, text: String?) {
    #expect(address.text == text)
  }

  @Test(
    arguments: [
      (.v4(0xC000_02FF), "192.0.2.0"),
      (.v4(.max), "255.255.255.0"),
      (.v6(0x2001_0DB8_1234_5678, 9), "2001:db8:1234:0:0:0:0:0"),
      (.v6(.max, .max), "ffff:ffff:ffff:0:0:0:0:0"),
      (.local, nil),
      (.unknown, nil),
    ] as [(ClientAddress, String?)]
  )
  func `the network of a client is its IPv4 slash 24 or IPv6 slash 48`(
    address: ClientAddress, text: String?
  ) {
    #expect(address.network.text == text)
    #expect(address.network.network == address.network)
  }

  @Test(
    arguments: [
      ("192.0.2.1", .v4(0xC000_0201)),
      ("0.0.0.0", .v4(0)),
      ("::1", .v6(0, 1)),
      ("2001:DB8::ab:0:0:1", .v6(0x2001_0DB8_0000_0000, 0x00AB_0000_0000_0001)),
      ("::ffff:192.0.2.1", .v4(0xC000_0201)),
      ("::ffff:c000:201", .v4(0xC000_0201)),
      ("::192.0.2.1", .v6(0, 0xC000_0201)),
    ] as [(String, ClientAddress)]
  )
  func `parses IPv4 and IPv6 addresses`(text: String, address: ClientAddress) {
    #expect(ClientAddress(text) == address)
  }

  @Test(
    arguments: [
      "", "192.0.2", "192.0.2.256", "192.0.2.1.", "192.0.2.01x", "192.0.2.1:80", "0xC0000201",
      "3221225985", "[::1]", "::1%lo", ":::", "::1 ", " ::1", "localhost", "unknown", "::1\0",
      "1\0.2.3.4", "١.٢.٣.٤", "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
    ]
  )
  func `rejects invalid addresses`(text: String) {
    #expect(ClientAddress(text) == nil)
  }

  @Test(
    arguments: [
      (.v4(0xC000_0201), .v4(0xC000_0201)),
      (.v6(0x2001_0DB8_0000_00AB, 1), .v6(0x2001_0DB8_0000_00AB, 0)),
      (.v6(0x2001_0DB8_0000_00AB, .max), .v6(0x2001_0DB8_0000_00AB, 0)),
      (.local, .local),
      (.unknown, .unknown),
    ] as [(ClientAddress, ClientAddress)]
  )
  func `all addresses of an IPv6 slash 64 share a limit`(address: ClientAddress, key: ClientAddress)
  {
    #expect(address.limitKey == key)
  }

  @Test(
    arguments: [
      ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
      ("128.0.0.1", false), ("::2", false), ("1::1", false), ("0.0.0.0", false),
    ]
  )
  func `recognizes loopback addresses`(text: String, isLoopback: Bool) {
    #expect(ClientAddress(text)?.isLoopback == isLoopback)
  }

  @Test func `a Unix socket is loopback, an unknown client is not`() {
    #expect(ClientAddress.local.isLoopback)
    #expect(!ClientAddress.unknown.isLoopback)
  }
}
