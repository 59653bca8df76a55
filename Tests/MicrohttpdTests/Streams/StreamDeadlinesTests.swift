import Testing

@testable import Microhttpd

/// The deadlines of a stream, in virtual time.
@Suite struct StreamDeadlinesTests {
  private let limits = {
    var limits = StreamLimits()
    limits.heartbeat = .seconds(15)
    limits.lifetime = .seconds(480) ... .seconds(600)
    return limits
  }()

  private func times(_ count: Int) -> [StreamDeadlines] {
    (0..<count).map { _ in StreamDeadlines(now: .seconds(1000), limits) }
  }

  /// Returns the seconds from a start until the next heartbeat; `nil` after more than 20.
  private func heartbeat(of times: StreamDeadlines, after start: Int) -> Int? {
    (0...20).first { times.needsHeartbeat(at: .seconds(start + $0)) }
  }

  @Test func `a silent stream needs a heartbeat after at most 15 seconds`() throws {
    for var times in times(200) {
      times.wrote(at: .seconds(2000))
      #expect(!times.needsHeartbeat(at: .seconds(2011)))
      #expect(times.needsHeartbeat(at: .seconds(2015)))
    }
  }

  @Test func `first heartbeats of streams that open together are spread over the whole interval`() {
    let seconds = Set(times(1000).compactMap { heartbeat(of: $0, after: 1000) })
    #expect(seconds.isSuperset(of: 1...14))
    #expect(seconds.isSubset(of: 0...15))
  }

  @Test func `heartbeats of streams that got the same event are spread over several seconds`() {
    let seconds = times(1000).compactMap { times in
      var times = times
      times.wrote(at: .seconds(2000))
      return heartbeat(of: times, after: 2000)
    }
    #expect(Set(seconds) == [12, 13, 14, 15])
  }

  @Test func `each stream ends at a random time between 8 and 10 minutes`() {
    let times = times(1000)
    #expect(times.allSatisfy { !$0.isOver(at: .seconds(1479)) && $0.isOver(at: .seconds(1600)) })
    #expect(Set(times.map(\.end)).count > 900)
    let early = times.filter { $0.isOver(at: .seconds(1540)) }
    #expect((300...700).contains(early.count))
  }

  @Test func `a requested end makes a stream end earlier, never later`() {
    for var times in times(10) {
      times.end(by: .seconds(1100))
      times.end(by: .seconds(5000))
      #expect(!times.isOver(at: .seconds(1099)))
      #expect(times.isOver(at: .seconds(1100)))
    }
  }
}
