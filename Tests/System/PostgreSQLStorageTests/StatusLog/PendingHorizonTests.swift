import Testing

@testable import PostgreSQLStorage

@Suite struct PendingHorizonTests {
  private let start = ContinuousClock.now

  @Test func `rows are left alone ten seconds after their number was known`() {
    var horizon = PendingHorizon()
    #expect(horizon.since(at: start) == 0)
    for second in 0..<60 {
      let now = start + .seconds(second)
      #expect(horizon.needsSample(at: now))
      horizon.add(Int64(second * 10), at: now)
      #expect(!horizon.needsSample(at: now))
      #expect(horizon.since(at: now) == Int64(second < 10 ? 0 : (second - 10) * 10))
    }
  }

  @Test func `all rows are looked at once a minute, and after a new connection`() {
    var horizon = PendingHorizon()
    horizon.add(5, at: start)
    #expect(horizon.since(at: start + .seconds(30)) == 0)
    #expect(horizon.since(at: start + .seconds(89)) == 5)
    #expect(horizon.since(at: start + .seconds(90)) == 0)
    #expect(horizon.since(at: start + .seconds(91)) == 5)
    horizon.reset()
    #expect(horizon.since(at: start + .seconds(92)) == 0)
    #expect(horizon.since(at: start + .seconds(93)) == 0)
  }
}
