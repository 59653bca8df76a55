package import Platform

/// The counters of executions by outcome.
///
/// The handles are created once; counting is one atomic addition.
package struct ExecutionMetrics: Sendable {
  private let completed: Counter
  private let failed: Counter
  private let conflicts: Counter

  package init(_ registry: MetricRegistry = MetricRegistry()) {
    func counter(_ outcome: String) -> Counter {
      registry.counter("enlist_executions_total", [.init("outcome", outcome)])
    }
    completed = counter("completed")
    failed = counter("failed")
    conflicts = registry.counter("enlist_execution_conflicts_total")
  }

  /// Counts an execution by its last message.
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
