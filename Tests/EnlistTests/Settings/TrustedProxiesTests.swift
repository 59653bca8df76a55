import HTTPSignals
import Testing

@testable import enlist

@Suite struct TrustedProxiesTests {
  @Test(
    arguments: [
      ("none", []),
      ("10.0.0.0/8", ["10.0.0.0/8"]),
      ("10.0.0.0/8,2001:db8::7, unix", ["10.0.0.0/8", "2001:db8::7", "unix"]),
      ("loopback", ["127.0.0.0/8", "::1", "unix"]),
      ("10.0.0.0/8, loopback", ["10.0.0.0/8", "127.0.0.0/8", "::1", "unix"]),
    ]
  )
  func `trusted proxies are parsed from networks separated by commas`(
    text: String, networks: [String]
  ) {
    let networks = networks.compactMap { ClientNetwork($0) }
    #expect(SettingTable.service.trustedProxies.convert(text) == networks)
  }

  @Test(arguments: [
    "", ",", "10.0.0.0/8,", "none,10.0.0.0/8", "loopback,none", "Loopback", "10.0.0.1/8",
    "proxy.example.org",
  ])
  func `a list of trusted proxies with an invalid network is rejected`(text: String) {
    #expect(SettingTable.service.trustedProxies.convert(text) == nil)
  }
}
