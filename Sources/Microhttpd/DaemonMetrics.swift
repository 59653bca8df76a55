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

  /// Adds the events that streams have sent, and resets their number.
  func count(_ tally: inout StreamTally) {
    if tally.live > 0 { liveEvents.increment(by: tally.live) }
    if tally.replayed > 0 { replayedEvents.increment(by: tally.replayed) }
    tally = StreamTally()
  }

  func count(_ end: StreamEnd) {
    ends.count(end)
  }

  func count(_ kind: RejectionKind) {
    rejections.count(kind)
  }
}
