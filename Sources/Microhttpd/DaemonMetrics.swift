package import CoreMetrics
internal import Monitoring

/// The counts of a daemon: rejections, and the events and ends of its streams.
///
/// The handles are made once; counting an event is one atomic addition.
package struct DaemonMetrics: Sendable {
  /// The events sent as they occurred.
  let liveEvents: Counter
  /// The events sent to clients that have resumed or asked for earlier ones.
  let replayedEvents: Counter
  private let ends: CounterFamily<StreamEnd>
  private let rejections: CounterFamily<RejectionKind>

  /// Makes the counts.
  ///
  /// - Parameter factory: Makes the counters; the default counts nothing.
  package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    func counter(_ kind: String) -> Counter {
      Counter(label: "enlist_stream_events_total", dimensions: [("kind", kind)], factory: factory)
    }
    liveEvents = counter("live")
    replayedEvents = counter("replayed")
    ends = CounterFamily("enlist_stream_closes_total", by: "reason", factory)
    rejections = CounterFamily(
      "enlist_rejections_total",
      by: "kind",
      of: RejectionKind.allCases,
      factory,
      name: \.name
    )
  }

  /// Counts the end of a stream.
  func count(_ end: StreamEnd) {
    ends.count(end)
  }

  /// Counts a rejection.
  func count(_ kind: RejectionKind) {
    rejections.count(kind)
  }
}
