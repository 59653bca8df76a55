import HTTPSignals
import MailingList
import Testing

@testable import OperatorService

@Suite struct KeyFailuresTests {
  private let failures = KeyFailures()
  private let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  private func fail(_ client: ClientAddress, at seconds: Int = 0, times: Int = 1) -> Int? {
    var result: Int?
    for _ in 0..<times { result = failures.add(client, at: start.adding(.seconds(seconds))) }
    return result
  }

  @Test func `an IPv6 network is one client`() {
    #expect(fail(.v6(7, 1), times: 10) == nil)
    #expect(fail(.v6(7, 2)) == 60)
    #expect(fail(.v6(8, 2)) == nil)
  }

  @Test func `the machine itself is limited as well`() {
    #expect(fail(.local, times: 10) == nil)
    #expect(fail(.local) == 60)
    #expect(fail(.v4(0x7F00_0001), times: 11) == 60)
  }

  @Test func `a minute after the first failure the client may try again`() {
    #expect(fail(.v4(1), times: 11) == 60)
    #expect(fail(.v4(1), at: 59) == 1)
    #expect(fail(.v4(1), at: 60) == nil)
  }

  @Test func `a clock that is set back does not lengthen the wait`() {
    #expect(fail(.v4(1), at: 3600, times: 11) == 60)
    #expect(fail(.v4(1), at: 0) == nil)
  }

  @Test func `many clients cannot fill the memory, or let one of them go on`() {
    for client in 0..<UInt32(KeyFailures.maximumClients) { #expect(fail(.v4(client)) == nil) }
    #expect(fail(.v4(0), times: 10) == 60)
    var limited = 0
    for client in 0..<100 as Range<UInt32> where fail(.v4(0xF000_0000 + client)) != nil {
      limited += 1
    }
    #expect(limited == 90)
    #expect(fail(.v4(0xF000_0000), at: 60) == nil)
  }
}
