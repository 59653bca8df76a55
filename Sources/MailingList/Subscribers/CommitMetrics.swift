package import Platform

/// The histograms of a store's transactions: their duration, and the number of sign-ups and changes
/// in each.
package struct CommitMetrics: Sendable {
  private let time: Histogram
  private let size: Histogram

  package init(_ registry: MetricRegistry = MetricRegistry()) {
    time = registry.histogram("enlist_commit_seconds")
    size = registry.histogram("enlist_commit_size")
  }

  /// Records a transaction that was committed.
  package func record(_ count: Int, in duration: Duration) {
    let (seconds, attoseconds) = duration.components
    time.record(Double(seconds) + Double(attoseconds) / 1e18)
    size.record(Double(count))
  }
}
