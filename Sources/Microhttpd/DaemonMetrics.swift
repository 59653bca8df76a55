package import Platform

/// The counters of a daemon: rejections, and the events and ends of its streams.
package struct DaemonMetrics: Sendable {
  private let liveEvents: Counter
  /// The events sent to clients that have resumed or asked for earlier ones.
  private let replayedEvents: Counter
  private let ends: CounterFamily<StreamEnd>
  private let rejections: CounterFamily<RejectionKind>

  package init(_ registry: MetricRegistry = MetricRegistry()) {
    func counter(_ kind: String) -> Counter {
      registry.counter("enlist_stream_events_total", [.init("kind", kind)])
    }
    liveEvents = counter("live")
    replayedEvents = counter("replayed")
    ends = CounterFamily("enlist_stream_closes_total", by: "reason", registry)
    rejections = CounterFamily("enlist_rejections_total", by: "kind", registry)
  }

  /// Counts the events that a stream is about to send; those before `replayEnd` existed when it was
  /// opened.
  func countSent(from position: UInt64, to next: UInt64, replayEnd: UInt64) {
    let end = min(max(position, replayEnd), next)
    if end > position { replayedEvents.increment(by: Int64(end - position)) }
    if next > end { liveEvents.increment(by: Int64(next - end)) }
  }

  func count(_ end: StreamEnd) { ends.count(end) }

  func count(_ kind: RejectionKind) { rejections.count(kind) }
}

/// Why a stream has ended.
enum StreamEnd: String, CaseIterable {
  case client
  case finished
  /// The stream has reached its maximum lifetime, and its client reconnects.
  case lifetime
  /// The client has read so slowly that its next event is no longer kept.
  case behind
  /// The client has not read at all, and its connection was reset.
  case stalled
  case draining
}
