import HTTPSignals
import MailingList
import Testing

@testable import SubscribeService

@Suite struct SignUpLimiterTests {
  private let client = ClientAddress.v4(0xCB00_7109)
  private let other = ClientAddress.v4(0xC633_6401)

  private func limiter(_ count: Int, per time: Duration, clients: Int = 1000) -> SignUpLimiter {
    SignUpLimiter(rate: .limited(count: count, per: time), clientCount: clients)
  }

  private func at(_ seconds: Double) -> Timestamp {
    Timestamp(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1000))
  }

  @Test func `takes so many at once, then evenly over the time`() {
    let limiter = limiter(3, per: .seconds(30))
    for _ in 0..<3 { #expect(limiter.secondsToWait(of: client, at: at(0)) == nil) }
    #expect(limiter.secondsToWait(of: client, at: at(0)) == 10)
    #expect(limiter.secondsToWait(of: client, at: at(0.5)) == 10)
    #expect(limiter.secondsToWait(of: client, at: at(9.999)) == 1)
    #expect(limiter.secondsToWait(of: client, at: at(10)) == nil)
    #expect(limiter.secondsToWait(of: client, at: at(10)) == 10)
    // Refusals are not counted, or who asks again and again would never be let in.
    for _ in 0..<100 { #expect(limiter.secondsToWait(of: client, at: at(11)) == 9) }
    for _ in 0..<3 { #expect(limiter.secondsToWait(of: client, at: at(60)) == nil) }
    #expect(limiter.secondsToWait(of: client, at: at(60)) == 10)
  }

  @Test(arguments: [1, 7, 30, 9_999, 10_000])
  func `takes exactly as many as it says`(_ count: Int) {
    let limiter = limiter(count, per: .seconds(1))
    for _ in 0..<count { #expect(limiter.secondsToWait(of: client, at: at(0)) == nil) }
    #expect(limiter.secondsToWait(of: client, at: at(0)) == 1)
  }

  @Test func `counts each client for itself, and an IPv6 network as one`() {
    let limiter = limiter(1, per: .seconds(60))
    #expect(limiter.secondsToWait(of: client, at: at(0)) == nil)
    #expect(limiter.secondsToWait(of: other, at: at(0)) == nil)
    #expect(limiter.secondsToWait(of: .v6(1, 1), at: at(0)) == nil)
    #expect(limiter.secondsToWait(of: .v6(1, 2), at: at(0)) == 60)
    #expect(limiter.secondsToWait(of: .v6(2, 1), at: at(0)) == nil)
    #expect(limiter.secondsToWait(of: .unknown, at: at(0)) == nil)
    #expect(limiter.secondsToWait(of: .unknown, at: at(0)) == 60)
  }

  @Test(arguments: [.local, .v4(0x7F00_0001), .v6(0, 1)] as [ClientAddress])
  func `does not limit this machine`(_ client: ClientAddress) {
    let limiter = limiter(1, per: .seconds(60))
    for _ in 0..<10 { #expect(limiter.secondsToWait(of: client, at: at(0)) == nil) }
  }

  @Test func `limits nobody without a rate`() {
    let limiter = SignUpLimiter(rate: .unlimited)
    for _ in 0..<10 { #expect(limiter.secondsToWait(of: client, at: at(0)) == nil) }
  }

  @Test func `a clock that was set back locks nobody out`() {
    let limiter = limiter(2, per: .seconds(60))
    #expect(limiter.secondsToWait(of: client, at: at(1_000_000)) == nil)
    #expect(limiter.secondsToWait(of: client, at: at(1_000_000)) == nil)
    #expect(limiter.secondsToWait(of: client, at: at(1_000_000)) == 30)
    #expect(limiter.secondsToWait(of: client, at: at(0)) == nil)
  }

  @Test func `remembers who was here last, and no more than it may`() {
    let limiter = limiter(1, per: .seconds(60), clients: 100)
    #expect(limiter.secondsToWait(of: client, at: at(0)) == nil)
    for number in 0..<49 {
      #expect(limiter.secondsToWait(of: .v4(UInt32(number)), at: at(0)) == nil)
    }
    #expect(limiter.secondsToWait(of: client, at: at(1)) == 59)
    for number in 0..<100 {
      #expect(limiter.secondsToWait(of: .v4(UInt32(1000 + number)), at: at(1)) == nil)
    }
    #expect(limiter.rememberedCount == 100)
    #expect(limiter.secondsToWait(of: client, at: at(1)) == nil)
    for number in 0..<1000 {
      _ = limiter.secondsToWait(of: .v4(UInt32(10_000 + number)), at: at(1))
      #expect(limiter.rememberedCount <= 100)
    }
  }
}
