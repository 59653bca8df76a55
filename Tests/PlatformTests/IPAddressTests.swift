import Platform
import Testing

/// Tests of IP addresses: their text, their bytes and their kinds.
@Suite struct IPAddressTests {
  @Test(
    arguments: [
      ("192.0.2.1", "192.0.2.1", "192.0.2.1"),
      ("255.255.255.255", "255.255.255.255", "255.255.255.255"),
      ("::", "::", "0:0:0:0:0:0:0:0"),
      ("2001:DB8:0:0:1::", "2001:db8:0:0:1::", "2001:db8:0:0:1:0:0:0"),
      ("::ffff:192.0.2.1", "::ffff:192.0.2.1", "0:0:0:0:0:ffff:c000:201"),
    ]
  )
  func `an address is printed in its shortest form and without abbreviations`(
    _ text: String, _ shortest: String, _ unabbreviated: String
  ) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == shortest)
    #expect(address.unabbreviated == unabbreviated)
    #expect(IPAddress(shortest) == address)
    #expect(IPAddress(unabbreviated) == address)
  }

  @Test(arguments: ["", "1.2.3", "01.2.3.4", "+1.2.3.4", "1.2.3.4:80", "[::1]", "::1%lo", "::1\0"])
  func `rejects a text that is not an address`(_ text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `an address is made of four or sixteen bytes in network order`() {
    #expect(IPAddress(bytes: [192, 0, 2, 1]) == .v4(0xC000_0201))
    #expect(
      IPAddress(bytes: (0..<16).map(\.self)) == .v6(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F))
    for count in [0, 3, 5, 15, 17] {
      #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }
  }

  @Test func `only a mapped address is unmapped`() {
    #expect(IPAddress.v6(0, 0xFFFF_C000_0201).unmapped == .v4(0xC000_0201))
    for address in [.v6(0, 0xC000_0201), .v6(1, 0xFFFF_C000_0201), .v4(1)] as [IPAddress] {
      #expect(address.unmapped == address)
    }
  }

  @Test(
    arguments: [
      "8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255", "198.20.0.0", "223.255.255.255",
      "2000::", "2606:4700::1111", "2001:db9::", "3fef::1",
    ]
  )
  func `addresses of the internet are globally reachable`(_ text: String) {
    #expect(IPAddress(text)?.isGloballyReachable == true)
  }

  @Test(
    arguments: [
      "0.0.0.1", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.1.1", "172.16.0.1", "192.0.0.1",
      "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
      "255.255.255.255", "::1", "fc00::1", "fe80::1", "2001:db8::1", "3fff::1", "::ffff:8.8.8.8",
    ]
  )
  func `special-purpose addresses are not globally reachable`(_ text: String) {
    #expect(IPAddress(text)?.isGloballyReachable == false)
  }
}
