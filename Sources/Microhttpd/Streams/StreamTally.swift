internal import Platform

/// The events that the streams of one thread have sent since the counters were last updated.
// Used on the loop's thread only, so an event to a stream costs no atomic operation.
final class StreamTally {
  private var live: Int64 = 0
  private var replayed: Int64 = 0

  /// Adds the events that a stream is about to send; those before `replayEnd` existed when the
  /// stream was opened.
  func add(from position: UInt64, to next: UInt64, replayEnd: UInt64) {
    let end = min(max(position, replayEnd), next)
    replayed += Int64(truncatingIfNeeded: end &- position)
    live += Int64(truncatingIfNeeded: next &- end)
  }

  /// Adds the events to the counters.
  func flush(to metrics: DaemonMetrics) {
    if live > 0 { metrics.liveEvents.increment(by: live) }
    if replayed > 0 { metrics.replayedEvents.increment(by: replayed) }
    live = 0
    replayed = 0
  }
}
