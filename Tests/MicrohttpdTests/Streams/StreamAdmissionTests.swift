import HTTPSignals
import Testing

@testable import Microhttpd

/// The limits on open streams, without sockets.
@Suite struct StreamAdmissionTests {
  private let first = ClientAddress.v4(0xC000_0201)
  private let second = ClientAddress.v4(0xC000_0202)

  private func admission(of maximum: Int, perClient: Int) -> StreamAdmission {
    var limits = StreamLimits()
    limits.maximum = maximum
    limits.maximumPerClient = perClient
    return StreamAdmission(limits)
  }

  @Test func `streams are limited per client and in total`() {
    let admission = admission(of: 3, perClient: 2)
    #expect(admission.enter(first))
    #expect(admission.enter(first))
    #expect(!admission.enter(first))
    #expect(admission.enter(second))
    #expect(!admission.enter(second))
    #expect(!admission.enter(.local))
    admission.leave(first)
    #expect(admission.enter(first))
    #expect(!admission.enter(second))
  }

  @Test func `a client whose streams have all closed can open as many again`() {
    let admission = admission(of: 10, perClient: 2)
    for _ in 0..<5 {
      for _ in 0..<2 { #expect(admission.enter(first)) }
      #expect(!admission.enter(first))
      for _ in 0..<2 { admission.leave(first) }
    }
  }

  @Test func `clients without a known address share the stream limit of one client`() {
    let admission = admission(of: 10, perClient: 1)
    #expect(admission.enter(.unknown))
    #expect(!admission.enter(.unknown))
  }

  @Test(arguments: [ClientAddress.local, .v4(0x7F00_0001), .v4(0x7F01_0203), .v6(0, 1)])
  func `clients on this machine have only the total stream limit`(_ client: ClientAddress) {
    let admission = admission(of: 5, perClient: 1)
    for _ in 0..<5 { #expect(admission.enter(client)) }
    #expect(!admission.enter(client))
    for _ in 0..<5 { admission.leave(client) }
    #expect(admission.enter(client))
  }
}
