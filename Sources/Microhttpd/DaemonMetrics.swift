package import Platform

/// The counters of a daemon: rejections, and the events and ends of its streams.
///
/// The handles are made once; counting an event is one atomic addition.
package struct DaemonMetrics: Sendable {
  /// The events sent as they occurred.
  let liveEvents: Counter
  /// The events sent to clients that have resumed or asked for earlier ones.
  let replayedEvents: Counter
  private let ends: CounterFamily<StreamEnd>
  private let rejections: CounterFamily<RejectionKind>

  package init(_ registry: MetricRegistry = MetricRegistry()) {
    func counter(_ kind: String) -> Counter {
      registry.counter("enlist_stream_events_total", [.init("kind", kind)])
    }
    liveEvents = counter("live")
    replayedEvents = counter("replayed")
    ends = CounterFamily("enlist_stream_closes_total", by: "reason", registry)
    rejections = CounterFamily(
      "enlist_rejections_total", by: "kind", of: RejectionKind.allCases, registry, name: \.name)
  }

  /// Counts the events that a stream is about to send; those before `replayEnd` existed when it was
  /// opened.
  func countSent(from position: UInt64, to next: UInt64, replayEnd: UInt64) {
    let end = min(max(position, replayEnd), next)
    if end > position { replayedEvents.increment(by: Int64(end - position)) }
    if next > end { liveEvents.increment(by: Int64(next - end)) }
  }

  func count(_ end: StreamEnd) {
    ends.count(end)
  }

  func count(_ kind: RejectionKind) {
    rejections.count(kind)
  }
}
