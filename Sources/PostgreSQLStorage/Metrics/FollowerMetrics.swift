internal import CoreMetrics
internal import MailingList

/// The measurements of the thread that follows the status log.
struct FollowerMetrics: Sendable {
  private let lag: Timer
  private let numbered: Counter
  private let malformed: Counter
  private let stalled: Meter

  /// Makes the measurements.
  ///
  /// - Parameter factory: Makes the histogram and the counter; the default measures nothing.
  init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    lag = Timer(label: "enlist_status_lag_seconds", factory: factory)
    numbered = Counter(label: "enlist_status_numbered_total", factory: factory)
    malformed = Counter(label: "enlist_status_malformed_total", factory: factory)
    stalled = Meter(label: "enlist_status_stalled", factory: factory)
  }

  /// Records that messages were read.
  ///
  /// - Parameters:
  ///   - time: The time of the last message, by the clock of the server or of a replica.
  ///   - now: The current time.
  func read(_ time: Timestamp, at now: Timestamp) {
    lag.recordMilliseconds(max(0, now.millisecondsSince1970 - time.millisecondsSince1970))
  }

  /// Records whether messages wait for their positions for longer than they should.
  func isStalled(_ isStalled: Bool) {
    stalled.set(isStalled ? 1 : 0)
  }

  /// Counts rows that were deleted because they are malformed.
  func count(malformed rows: Int32) {
    malformed.increment(by: Int64(rows))
  }

  /// Counts batches whose messages this follower has given their positions.
  ///
  /// - Parameter batches: The number of batches.
  func count(numbered batches: Int32) {
    numbered.increment(by: Int64(batches))
  }
}
