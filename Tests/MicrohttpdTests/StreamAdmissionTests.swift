import HTTPSignals
import Testing

@testable import Microhttpd

/// The count of open streams, without sockets.
@Suite struct StreamAdmissionTests {
  private let first = ClientAddress.v4(0xC000_0201)
  private let second = ClientAddress.v4(0xC000_0202)

  @Test func `a client has its limit, and all have theirs`() {
    let admission = StreamAdmission(maximum: 3, maximumPerClient: 2)
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

  @Test func `who has left altogether can fill its places again`() {
    let admission = StreamAdmission(maximum: 10, maximumPerClient: 2)
    for _ in 0..<5 {
      for _ in 0..<2 { #expect(admission.enter(first)) }
      #expect(!admission.enter(first))
      for _ in 0..<2 { admission.leave(first) }
    }
  }

  @Test func `who is unknown shares the places of one client`() {
    let admission = StreamAdmission(maximum: 10, maximumPerClient: 1)
    #expect(admission.enter(.unknown))
    #expect(!admission.enter(.unknown))
  }

  @Test(arguments: [ClientAddress.local, .v4(0x7F00_0001), .v4(0x7F01_0203), .v6(0, 1)])
  func `this machine has only the limit of all`(_ client: ClientAddress) {
    let admission = StreamAdmission(maximum: 5, maximumPerClient: 1)
    for _ in 0..<5 { #expect(admission.enter(client)) }
    #expect(!admission.enter(client))
    for _ in 0..<5 { admission.leave(client) }
    #expect(admission.enter(client))
  }
}
