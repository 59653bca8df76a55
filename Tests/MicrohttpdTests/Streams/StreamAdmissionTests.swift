import HTTPSignals
import Testing

@testable import Microhttpd

/// The limits on open streams, without sockets.
@Suite struct StreamAdmissionTests {
  private let first = ClientAddress.v4(0xC000_0201)
  private let second = ClientAddress.v4(0xC000_0202)

  @Test func `streams are limited per client and in total`() {
    let admission = StreamAdmission(maximum: 3, maximumThroughLibrary: 2, maximumPerClient: 2)
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
    let admission = StreamAdmission(maximum: 10, maximumThroughLibrary: 2, maximumPerClient: 2)
    for _ in 0..<5 {
      for _ in 0..<2 { #expect(admission.enter(first, .direct)) }
      #expect(!admission.enter(first, .direct))
      for _ in 0..<2 { admission.leave(first, .direct) }
    }
  }

  @Test func `clients without a known address share the stream limit of one client`() {
    let admission = StreamAdmission(maximum: 10, maximumThroughLibrary: 2, maximumPerClient: 1)
    #expect(admission.enter(.unknown, .direct))
    #expect(!admission.enter(.unknown, .direct))
  }

  @Test(arguments: [ClientAddress.local, .v4(0x7F00_0001), .v4(0x7F01_0203), .v6(0, 1)])
  func `clients on this machine have only the total stream limit`(_ client: ClientAddress) {
    let admission = StreamAdmission(maximum: 5, maximumThroughLibrary: 2, maximumPerClient: 1)
    for _ in 0..<5 { #expect(admission.enter(client, .direct)) }
    #expect(!admission.enter(client, .direct))
    for _ in 0..<5 { admission.leave(client, .direct) }
    #expect(admission.enter(client, .direct))
  }

  @Test func `streams that libmicrohttpd writes have their own limit`() {
    let admission = StreamAdmission(maximum: 4, maximumThroughLibrary: 2, maximumPerClient: 4)
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
