import Testing

@testable import Microhttpd
@testable import Platform

@Suite struct DaemonMetricsTests {
  @Test(
    arguments: [
      (from: 1, next: 5, replayEnd: 1, live: 4, replayed: 0),
      (from: 1, next: 5, replayEnd: 5, live: 0, replayed: 4),
      (from: 1, next: 5, replayEnd: 9, live: 0, replayed: 4),
      (from: 1, next: 5, replayEnd: 3, live: 2, replayed: 2),
      (from: 5, next: 6, replayEnd: 3, live: 1, replayed: 0),
    ] as [(from: UInt64, next: UInt64, replayEnd: UInt64, live: Int64, replayed: Int64)]
  )
  func `events that existed when the stream was opened are replayed`(
    _ sample: (from: UInt64, next: UInt64, replayEnd: UInt64, live: Int64, replayed: Int64)
  ) {
    let registry = MetricRegistry([])
    let metrics = DaemonMetrics(registry)
    metrics.countSent(from: sample.from, to: sample.next, replayEnd: sample.replayEnd)
    let name = "enlist_stream_events_total"
    #expect(registry.counter(name, [.init("kind", "live")]).value == sample.live)
    #expect(registry.counter(name, [.init("kind", "replayed")]).value == sample.replayed)
  }

  @Test func `every end and every rejection has a counter of its own`() {
    let registry = MetricRegistry([])
    let metrics = DaemonMetrics(registry)
    for end in StreamEnd.allCases {
      metrics.count(end)
      let reason = [MetricSample.Label("reason", end.rawValue)]
      #expect(registry.counter("enlist_stream_closes_total", reason).value == 1)
    }
    for kind in RejectionKind.allCases {
      metrics.count(kind)
      let name = [MetricSample.Label("kind", kind.rawValue)]
      #expect(registry.counter("enlist_rejections_total", name).value == 1)
    }
  }
}
