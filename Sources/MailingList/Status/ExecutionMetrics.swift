package import CoreMetrics

/// The counts of executions by outcome.
///
/// The handles are made once; counting is one atomic addition.
package struct ExecutionMetrics: Sendable {
  private let completed: Counter
  private let failed: Counter
  private let conflicts: Counter

  /// Makes the counts.
  ///
  /// - Parameter factory: Makes the counters; the default counts nothing.
  package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    func counter(_ outcome: String) -> Counter {
      Counter(
        label: "enlist_executions_total",
        dimensions: [("outcome", outcome)],
        factory: factory
      )
    }
    completed = counter("completed")
    failed = counter("failed")
    conflicts = Counter(label: "enlist_execution_conflicts_total", factory: factory)
  }

  /// Counts an execution with its last message.
  func count(_ message: StatusMessage) {
    switch message {
    case .started: break
    case .completed: completed.increment()
    case .failed: failed.increment()
    }
  }

  /// Counts a request for a command that was executing.
  func countConflict() {
    conflicts.increment()
  }
}
