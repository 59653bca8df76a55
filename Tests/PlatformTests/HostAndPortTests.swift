import Platform
import Testing

@Suite struct HostAndPortTests {
  @Test(
    arguments: [
      "127.0.0.1:8080", "0.0.0.0:0", "255.255.255.255:65535", "[::]:8080", "[::1]:0",
      "[2001:db8::1]:80", "[::ffff:192.0.2.1]:80",
    ]
  )
  func `an address and a port are parsed and formatted unchanged`(_ text: String) throws {
    let address = try #require(HostAndPort(text))
    #expect(address.description == text)
  }

  @Test(
    arguments: [
      "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "[::1]", "[::1]:",
    ]
  )
  func `an address without a host or a port is rejected`(_ text: String) {
    #expect(HostAndPort(text) == nil)
  }

  @Test(
    arguments: [
      "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:http", "127.0.0.1:٨",
      "127.0.0.1: 80", " 127.0.0.1:80", "127.0.0.1:80 ", "127.1:80", "256.0.0.1:80", "::1:80",
      "[127.0.0.1]:80", "[::1:80", "::1]:80", "[::1]80", "[fe80::1%lo]:80", "127.0.0.1\0x:80",
    ]
  )
  func `an invalid address is rejected`(_ text: String) {
    #expect(HostAndPort(text) == nil)
  }

  @Test(arguments: ["localhost:8080", "example.org:80", "unix:/run/enlist.sock", "systemd"])
  func `host names and other listen addresses are not network addresses`(_ text: String) {
    #expect(HostAndPort(text) == nil)
  }

  @Test(
    arguments: [
      ("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("10.0.0.1:80", "10.0.0.1:80"),
      ("[::2]:80", "[::2]:80"),
    ]
  )
  func `the unspecified address is reachable at the loopback address`(
    _ text: String, _ expected: String
  ) throws {
    let address = try #require(HostAndPort(text))
    #expect(address.reachableHere.description == expected)
  }
}
