import HTTPSignals
import Testing

/// Networks of clients, as the operator writes them.
@Suite struct ClientNetworkTests {
  @Test func `only the network named unix contains clients of a Unix socket`() throws {
    let sockets = try #require(ClientNetwork("unix"))
    #expect(sockets.contains(.local))
    #expect(!sockets.contains(.unknown))
    #expect(!sockets.contains(.v4(0)))
    for everything in ["0.0.0.0/0", "::/0"] {
      let everything = try #require(ClientNetwork(everything))
      #expect(!everything.contains(.local))
      #expect(!everything.contains(.unknown))
    }
  }

  @Test func `the loopback networks contain exactly the loopback addresses`() {
    for address in [.local, .v4(0x7F00_0001), .v4(0x7FFF_FFFF), .v6(0, 1)] as [ClientAddress] {
      #expect(address.isLoopback)
      #expect(ClientNetwork.loopback.contains { $0.contains(address) })
    }
    for address in [.unknown, .v4(0x8000_0000), .v6(0, 2), .v6(1, 1)] as [ClientAddress] {
      #expect(!address.isLoopback)
      #expect(!ClientNetwork.loopback.contains { $0.contains(address) })
    }
  }

  @Test func `a block contains the clients whose address is in it`() throws {
    let network = try #require(ClientNetwork("10.0.0.0/8"))
    #expect(network.contains(.v4(0x0A01_0203)))
    #expect(!network.contains(.v4(0x0B01_0203)))
  }

  @Test(arguments: ["", "UNIX", "unix/0", "unix ", "10.0.0.1/8", "localhost"])
  func `rejects invalid networks`(text: String) {
    #expect(ClientNetwork(text) == nil)
  }
}
