import HTTPSignals
import Testing

@testable import Services

@Suite struct ConsentAddressTests {
  @Test(
    arguments: [
      (.truncated, "192.0.2.0"), (.full, "192.0.2.77"), (.off, nil),
    ] as [(ConsentAddress, String?)]
  )
  func `a consent keeps the part of an address that the operator sets`(
    _ address: ConsentAddress, _ kept: String?
  ) {
    #expect(address.text(of: .v4(0xC000_024D)) == kept)
    #expect(address.text(of: .local) == nil)
  }
}
