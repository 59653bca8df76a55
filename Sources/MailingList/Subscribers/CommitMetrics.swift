package import Monitoring

/// The transactions of a store: how long they took, and how much each of them stored.
package struct CommitMetrics: Sendable {
  private let time: Histogram?
  private let size: Histogram?

  /// Makes the measurements.
  ///
  /// - Parameter registry: Makes the histograms; `nil` counts nothing.
  package init(_ registry: MetricRegistry? = nil) {
    time = registry?.histogram("enlist_commit_seconds")
    size = registry?.histogram("enlist_commit_size")
  }

  /// Records a transaction that was committed.
  package func record(_ count: Int, in duration: Duration) {
    let (seconds, attoseconds) = duration.components
    time?.record(Double(seconds) + Double(attoseconds) / 1e18)
    size?.record(Double(count))
  }
}
