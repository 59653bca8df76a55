package import CoreMetrics

/// The transactions of a store: how long they took, and how much each of them stored.
package struct CommitMetrics: Sendable {
  private let time: Timer
  private let size: Recorder

  /// Makes the measurements.
  ///
  /// - Parameter factory: Makes the histograms; the default measures nothing.
  package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    time = Timer(label: "enlist_commit_seconds", factory: factory)
    size = Recorder(label: "enlist_commit_size", aggregate: true, factory: factory)
  }

  /// Records a transaction that was committed.
  ///
  /// - Parameters:
  ///   - count: The number of sign-ups and changes that it stored.
  ///   - duration: The time from its begin to the end of its commit.
  package func record(_ count: Int, in duration: Duration) {
    let (seconds, attoseconds) = duration.components
    // A commit takes less than the 292 years that would overflow.
    time.recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    size.record(count)
  }
}
