import HTTPSignals
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
    network: String,
    address: String,
    contains: Bool
  ) throws {
    let address = try #require(ClientAddress(address))
    #expect(try #require(CIDRBlock(network)).contains(address) == contains)
  }

  @Test func `only the block named unix contains clients of a Unix socket`() throws {
    let sockets = try #require(CIDRBlock("unix"))
    #expect(sockets.contains(.local))
    #expect(!sockets.contains(.unknown))
    #expect(!sockets.contains(.v4(0)))
    for everything in ["0.0.0.0/0", "::/0"] {
      let everything = try #require(CIDRBlock(everything))
      #expect(!everything.contains(.local))
      #expect(!everything.contains(.unknown))
    }
  }

  @Test func `the loopback blocks contain exactly the loopback addresses`() {
    for address in [.local, .v4(0x7F00_0001), .v4(0x7FFF_FFFF), .v6(0, 1)] as [ClientAddress] {
      #expect(address.isLoopback)
      #expect(CIDRBlock.loopback.contains { $0.contains(address) })
    }
    for address in [.unknown, .v4(0x8000_0000), .v6(0, 2), .v6(1, 1)] as [ClientAddress] {
      #expect(!address.isLoopback)
      #expect(!CIDRBlock.loopback.contains { $0.contains(address) })
    }
  }

  @Test(
    arguments: [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
      "10.0.0.1/8", "10.0.0.0/٨", "10.0.0.0/8 ", "10/8", "2001:db8::/129", "2001:db8::1/64",
      "[::1]/128", "localhost", "UNIX", "unix/0",
    ]
  )
  func `rejects invalid CIDR blocks`(text: String) {
    #expect(CIDRBlock(text) == nil)
  }
}
