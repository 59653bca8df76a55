import HTTPSignals
import Testing

@Suite struct ClientAddressTests {
  @Test(
    arguments: [
      (.v4(0xC000_0201), "192.0.2.1"),
      (.v4(0), "0.0.0.0"),
      (.v4(.max), "255.255.255.255"),
      (.v6(0, 1), "0:0:0:0:0:0:0:1"),
      (.v6(0x2001_0DB8_0000_00AB, 0xFFFF_0001_0020_0300), "2001:db8:0:ab:ffff:1:20:300"),
      (.v6(.max, .max), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
      (.none, nil),
    ] as [(ClientAddress, String?)]
  )
  func `is written`(address: ClientAddress, text: String?) {
    #expect(address.text == text)
  }

  @Test(
    arguments: [
      (.v4(0xC000_02FF), "192.0.2.0"),
      (.v4(.max), "255.255.255.0"),
      (.v6(0x2001_0DB8_1234_5678, 9), "2001:db8:1234:0:0:0:0:0"),
      (.v6(.max, .max), "ffff:ffff:ffff:0:0:0:0:0"),
      (.none, nil),
    ] as [(ClientAddress, String?)]
  )
  func `belongs to a network of 24 bits, or 48 with IPv6`(address: ClientAddress, text: String?) {
    #expect(address.network.text == text)
    #expect(address.network.network == address.network)
  }
}
