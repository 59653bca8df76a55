internal import CoreMetrics
internal import MailingList

/// The measurements of the thread that follows the status log.
struct FollowerMetrics: Sendable {
  private let lag: Timer
  private let numbered: Counter

  /// Makes the measurements.
  ///
  /// - Parameter factory: Makes the histogram and the counter; the default measures nothing.
  init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    lag = Timer(label: "enlist_status_lag_seconds", factory: factory)
    numbered = Counter(label: "enlist_status_numbered_total", factory: factory)
  }

  /// Records that messages were read.
  ///
  /// - Parameters:
  ///   - time: The time of the last message, by the clock of the server or of a replica.
  ///   - now: The current time.
  func read(_ time: Timestamp, at now: Timestamp) {
    lag.recordMilliseconds(max(0, now.millisecondsSince1970 - time.millisecondsSince1970))
  }

  /// Counts batches whose messages this follower has given their positions.
  ///
  /// - Parameter batches: The number of batches.
  func count(numbered batches: Int32) {
    numbered.increment(by: Int64(batches))
  }
}
