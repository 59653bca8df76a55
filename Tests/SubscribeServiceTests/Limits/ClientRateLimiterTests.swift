import HTTPSignals
import MailingList
import Testing

@testable import Services

/// The rate limits of clients and of the networks around them.
@Suite struct ClientRateLimiterTests {
  private let client = ClientAddress.v4(0xCB00_7109)
  private let other = ClientAddress.v4(0xC633_6401)

  private func limiter(_ count: Int, per time: Duration, clients: Int = 1000) -> ClientRateLimiter {
    ClientRateLimiter(rate: .limited(count: count, per: time), clientCount: clients)
  }

  private func at(_ seconds: Double) -> Timestamp {
    Timestamp(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1000))
  }

  @Test func `a rate limiter counts each client separately, and an IPv6 network as one client`() {
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
  func `a rate limiter does not limit clients on this machine`(_ client: ClientAddress) {
    let limiter = limiter(1, per: .seconds(60))
    for _ in 0..<10 { #expect(limiter.secondsToWait(of: client, at: at(0)) == nil) }
  }

  @Test func `a rate limiter without a rate limits no client`() {
    let limiter = ClientRateLimiter(rate: .unlimited)
    for _ in 0..<10 { #expect(limiter.secondsToWait(of: client, at: at(0)) == nil) }
  }

  @Test func `limits a slash 56 to four times the rate and a slash 48 to sixteen times`() {
    let limiter = limiter(3, per: .seconds(60), clients: 100_000)
    func accepted(_ networks: Range<UInt64>, _ site: UInt64) -> Int {
      networks.count { limiter.secondsToWait(of: .v6(site << 16 | $0, 1), at: at(0)) == nil }
    }
    // The first /56 has 256 of the /64s.
    #expect(accepted(0..<256, 0x2001_0DB8_0001) == 12)
    #expect(accepted(0..<256, 0x2001_0DB8_0001) == 0)
    #expect(accepted(256..<512, 0x2001_0DB8_0001) == 12)
    #expect(accepted(512..<65_536, 0x2001_0DB8_0001) == 24)
    #expect(accepted(0..<65_536, 0x2001_0DB8_0001) == 0)
    #expect(accepted(0..<3, 0x2001_0DB8_0002) == 3)
  }

  @Test func `limits a slash 24 to sixteen times the rate`() {
    let limiter = limiter(3, per: .seconds(60))
    let accepted = (0..<256 as Range<UInt32>).count {
      limiter.secondsToWait(of: .v4(0xCB00_7100 | $0), at: at(0)) == nil
    }
    #expect(accepted == 48)
    #expect(limiter.secondsToWait(of: .v4(0xCB00_7200), at: at(0)) == nil)
  }

  @Test func `a request that one level rejects does not fill the other levels`() {
    let limiter = limiter(1, per: .seconds(60))
    // One /64 sends requests repeatedly; its neighbors lose nothing.
    for _ in 0..<1000 { _ = limiter.secondsToWait(of: .v6(1 << 16, 1), at: at(0)) }
    for number in 1..<4 as Range<UInt64> {
      #expect(limiter.secondsToWait(of: .v6(1 << 16 | number, 1), at: at(0)) == nil)
    }
    // The /56 is full: a client that has been rejected by it has not used its own request.
    #expect(limiter.secondsToWait(of: .v6(1 << 16 | 4, 1), at: at(0)) == 15)
    #expect(limiter.secondsToWait(of: .v6(1 << 16 | 4, 1), at: at(15)) == nil)
  }

  @Test func `one slash 48 evicts no other client, however many addresses it uses`() {
    let limiter = limiter(2, per: .seconds(600), clients: 1024)
    for _ in 0..<2 { #expect(limiter.secondsToWait(of: client, at: at(0)) == nil) }
    for _ in 0..<2 { #expect(limiter.secondsToWait(of: .v6(1, 0), at: at(0)) == nil) }
    // A client that is not limited would be evicted first.
    #expect(limiter.secondsToWait(of: .v6(1 << 40, 0), at: at(0)) == nil)
    for number in 0..<65_536 as Range<UInt64> {
      _ = limiter.secondsToWait(of: .v6(0x2001_0DB8_0001_0000 | number, 1), at: at(0.5))
    }
    #expect(limiter.secondsToWait(of: client, at: at(1)) != nil)
    #expect(limiter.secondsToWait(of: .v6(1, 0), at: at(1)) != nil)
    #expect(limiter.secondsToWait(of: .v6(1 << 40, 0), at: at(1)) == nil)
    #expect(limiter.secondsToWait(of: .v6(1 << 40, 0), at: at(1)) != nil)
  }
}
