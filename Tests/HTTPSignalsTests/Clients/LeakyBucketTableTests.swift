import HTTPSignals
import Testing

/// Rates of keys, in bounded memory.
@Suite struct LeakyBucketTableTests {
  /// Requests with one table, at seconds since 1970.
  private struct Requests {
    var table: LeakyBucketTable

    init(_ count: Int, per seconds: Int, keys: Int = 1000) {
      table = LeakyBucketTable(count: count, per: .seconds(seconds), maximumCount: keys)
    }

    private func milliseconds(_ seconds: Double) -> Int64 {
      1_800_000_000_000 + Int64(seconds * 1000)
    }

    /// Returns the milliseconds until the request would fit; 0 if it was counted.
    mutating func wait(_ key: Int = 0, at seconds: Double = 0) -> Int64 {
      table.take(key, at: milliseconds(seconds)).wait
    }

    func rememberedCount(at seconds: Double = 0) -> Int {
      table.rememberedCount(at: milliseconds(seconds))
    }
  }

  @Test func `a table accepts a burst, then an even rate`() {
    var requests = Requests(3, per: 30)
    for _ in 0..<3 { #expect(requests.wait() == 0) }
    #expect(requests.wait() == 10_000)
    #expect(requests.wait(at: 0.5) == 9500)
    #expect(requests.wait(at: 9.999) == 1)
    #expect(requests.wait(at: 10) == 0)
    #expect(requests.wait(at: 10) == 10_000)
    // Rejections do not count; otherwise a client that keeps retrying would never be accepted.
    for _ in 0..<100 { #expect(requests.wait(at: 11) == 9000) }
    for _ in 0..<3 { #expect(requests.wait(at: 60) == 0) }
    #expect(requests.wait(at: 60) == 10_000)
  }

  @Test(arguments: [1, 7, 30, 9_999, 10_000])
  func `a table accepts exactly the count of its rate, for each key`(_ count: Int) {
    var requests = Requests(count, per: 1)
    for key in 0..<2 {
      for _ in 0..<count { #expect(requests.wait(key) == 0) }
      #expect(requests.wait(key) > 0)
    }
  }

  @Test func `a canceled request does not count`() {
    var table = LeakyBucketTable(count: 5, per: .seconds(5))
    table.cancel("key")
    #expect((0..<3).map { _ in table.take("key", at: 0).room } == [5, 4, 3])
    table.cancel("key")
    #expect((0..<5).map { _ in table.take("key", at: 0).room } == [3, 2, 1, 0, 0])
    #expect(table.take("other", at: 0).room == 5)
  }

  @Test func `a clock that was set back locks no key out`() {
    var requests = Requests(2, per: 60)
    for _ in 0..<2 { #expect(requests.wait(at: 1_000_000) == 0) }
    #expect(requests.wait(at: 1_000_000) == 30_000)
    #expect(requests.wait() == 0)
  }

  @Test func `a thread with a slightly older time does not reset a bucket`() {
    var requests = Requests(2, per: 60)
    for _ in 0..<2 { #expect(requests.wait(at: 10) == 0) }
    for _ in 0..<3 { #expect(requests.wait(at: 9.999) > 0) }
  }

  @Test(arguments: [1, 2, 30])
  func `many keys evict no limited key and do not grow the table beyond its limit`(count: Int) {
    var requests = Requests(count, per: 600, keys: 1024)
    for _ in 0..<count { #expect(requests.wait() == 0) }
    for key in 1...50_000 {
      _ = requests.wait(key, at: 0.5)
      if key % 1000 == 0 { #expect(requests.rememberedCount(at: 0.5) <= 1024) }
    }
    #expect(requests.rememberedCount(at: 0.5) > 512)
    #expect(requests.wait(at: 1) > 0)
  }

  @Test func `a table full of limited keys has room again when their time is over`() {
    var requests = Requests(1, per: 60, keys: 64)
    for key in 1...1000 { _ = requests.wait(key) }
    #expect(requests.rememberedCount() == 64)
    #expect(requests.rememberedCount(at: 60) == 0)
    #expect(requests.wait(at: 60) == 0)
    #expect(requests.wait(at: 60) == 60_000)
  }

  @Test(
    arguments: [
      .min, .min + 1, -9_223_372_036_855, -1, 0, 1, 9_223_372_036_855, 253_402_300_800_000,
      .max - 1, .max,
    ] as [Int64]
  )
  func `a table counts correctly at any time of the clock`(milliseconds: Int64) {
    var table = LeakyBucketTable(count: 10_000, per: .seconds(86_400))
    for _ in 0..<10_000 { #expect(table.take(0, at: milliseconds).wait == 0) }
    #expect(table.take(0, at: milliseconds).wait == 8640)
  }

  @Test func `a table tolerates any time, and never waits longer than the time of the rate`() {
    for count in [1, 30, 10_000] {
      var table = LeakyBucketTable(count: count, per: .seconds(3600), maximumCount: 64)
      for _ in 0..<20_000 {
        let time = Int64.random(in: .min ... .max) >> Int64.random(in: 0..<64)
        let wait = table.take(Int.random(in: 0..<64), at: time).wait
        #expect((0...3_600_000).contains(wait))
      }
    }
  }
}
