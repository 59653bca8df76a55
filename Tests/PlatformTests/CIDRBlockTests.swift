import Platform
import Testing

/// Blocks of addresses, as the operator writes them.
@Suite struct CIDRBlockTests {
  @Test(
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true),
      ("10.0.0.0/8", "11.0.0.0", false),
      ("192.0.2.128/25", "192.0.2.255", true),
      ("192.0.2.128/25", "192.0.2.127", false),
      ("192.0.2.7", "192.0.2.7", true),
      ("192.0.2.7", "192.0.2.6", false),
      ("192.0.2.7/32", "192.0.2.7", true),
      ("0.0.0.0/0", "255.255.255.255", true),
      ("0.0.0.0/0", "::1", false),
      ("0.0.0.0/0", "::ffff:1.2.3.4", true),
      ("2001:db8::/32", "2001:db8:ffff::1", true),
      ("2001:db8::/32", "2001:db9::", false),
      ("2001:db8:0:1::/64", "2001:db8:0:1:ffff::", true),
      ("2001:db8:0:1::/64", "2001:db8:0:2::", false),
      ("2001:db8::100/120", "2001:db8::1ff", true),
      ("2001:db8::100/120", "2001:db8::200", false),
      ("2001:db8::1", "2001:db8::1", true),
      ("2001:db8::1", "2001:db8::2", false),
      ("::/0", "ffff::", true),
      ("::/0", "1.2.3.4", false),
    ]
  )
  func `a CIDR block contains the addresses with its prefix`(
    network: String, address: String, contains: Bool
  ) throws {
    let address = try #require(IPAddress(address)).unmapped
    #expect(try #require(CIDRBlock(network)).contains(address) == contains)
  }

  @Test(
    arguments: [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
      "10.0.0.1/8", "10.0.0.0/٨", "10.0.0.0/8 ", "10/8", "2001:db8::/129", "2001:db8::1/64",
      "[::1]/128", "localhost", "unix",
    ]
  )
  func `rejects invalid CIDR blocks`(text: String) {
    #expect(CIDRBlock(text) == nil)
  }
}
