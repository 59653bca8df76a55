import HTTPSignals
import Testing

@testable import Microhttpd

/// The limits on open streams, without sockets.
@Suite struct StreamAdmissionTests {
  private let first = ClientAddress.v4(0xC000_0201)
  private let second = ClientAddress.v4(0xC000_0202)

  private func admission(of maximum: Int, throughLibrary: Int, perClient: Int) -> StreamAdmission {
    var limits = StreamLimits()
    limits.maximum = maximum
    limits.maximumThroughLibrary = throughLibrary
    limits.maximumPerClient = perClient
    return StreamAdmission(limits)
  }

  @Test func `streams are limited per client and in total`() {
    let admission = admission(of: 3, throughLibrary: 2, perClient: 2)
    #expect(admission.enter(first, .direct))
    #expect(admission.enter(first, .direct))
    #expect(!admission.enter(first, .direct))
    #expect(admission.enter(second, .direct))
    #expect(!admission.enter(second, .direct))
    #expect(!admission.enter(.local, .direct))
    admission.leave(first, .direct)
    #expect(admission.enter(first, .direct))
    #expect(!admission.enter(second, .direct))
  }

  @Test func `a client whose streams have all closed can open as many again`() {
    let admission = admission(of: 10, throughLibrary: 2, perClient: 2)
    for _ in 0..<5 {
      for _ in 0..<2 { #expect(admission.enter(first, .direct)) }
      #expect(!admission.enter(first, .direct))
      for _ in 0..<2 { admission.leave(first, .direct) }
    }
  }

  @Test func `clients without a known address share the stream limit of one client`() {
    let admission = admission(of: 10, throughLibrary: 2, perClient: 1)
    #expect(admission.enter(.unknown, .direct))
    #expect(!admission.enter(.unknown, .direct))
  }

  @Test(arguments: [ClientAddress.local, .v4(0x7F00_0001), .v4(0x7F01_0203), .v6(0, 1)])
  func `clients on this machine have only the total stream limit`(_ client: ClientAddress) {
    let admission = admission(of: 5, throughLibrary: 2, perClient: 1)
    for _ in 0..<5 { #expect(admission.enter(client, .direct)) }
    #expect(!admission.enter(client, .direct))
    for _ in 0..<5 { admission.leave(client, .direct) }
    #expect(admission.enter(client, .direct))
  }

  @Test func `streams that libmicrohttpd writes have their own limit`() {
    let admission = admission(of: 4, throughLibrary: 2, perClient: 4)
    for _ in 0..<2 { #expect(admission.enter(.local, .library)) }
    #expect(!admission.enter(.local, .library))
    for _ in 0..<2 { #expect(admission.enter(.local, .direct)) }
    #expect(!admission.enter(.local, .direct))
    admission.leave(.local, .direct)
    #expect(!admission.enter(.local, .library))
    admission.leave(.local, .library)
    #expect(admission.enter(.local, .library))
  }
}
