package import CoreMetrics

/// The counts of a daemon: rejections, and the events and ends of its streams.
///
/// The handles are made once; counting is one atomic addition.
package struct DaemonMetrics: Sendable {
  /// The events sent as they occurred.
  let liveEvents: Counter
  /// The events sent to clients that have resumed or asked for earlier ones.
  let replayedEvents: Counter
  private let ends: [Counter]
  private let rejections: [Counter]

  /// Makes the counts.
  ///
  /// - Parameter factory: Makes the counters; the default counts nothing.
  package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    func counter(_ label: String, _ name: String, _ value: String) -> Counter {
      Counter(label: label, dimensions: [(name, value)], factory: factory)
    }
    liveEvents = counter("enlist_stream_events_total", "kind", "live")
    replayedEvents = counter("enlist_stream_events_total", "kind", "replayed")
    ends = StreamEnd.allCases.map { end in
      counter("enlist_stream_closes_total", "reason", end.rawValue)
    }
    rejections = RejectionKind.allCases.map { kind in
      counter("enlist_rejections_total", "kind", kind.name)
    }
  }

  /// Counts the end of a stream.
  func count(_ end: StreamEnd) {
    let index =
      switch end {
      case .client: 0
      case .finished: 1
      case .lifetime: 2
      case .behind: 3
      case .stalled: 4
      case .draining: 5
      }
    ends[index].increment()
  }

  /// Counts a rejection.
  func count(_ kind: RejectionKind) {
    let index =
      switch kind {
      case .malformedRequest: 0
      case .forbidden: 1
      case .tooManyRequests: 2
      case .unavailable: 3
      case .connection: 4
      case .stream: 5
      case .accept: 6
      case .responseField: 7
      case .library: 8
      }
    rejections[index].increment()
  }
}
