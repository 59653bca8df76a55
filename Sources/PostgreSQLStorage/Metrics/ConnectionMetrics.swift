internal import CoreMetrics

/// The measurements of the connections of a store.
struct ConnectionMetrics: Sendable {
  private struct Handles {
    let connected: Meter
    let reconnects: Counter
  }

  private let handles: [OpenConnections.Role: Handles]

  /// Makes the measurements.
  ///
  /// - Parameter factory: Makes the gauges and the counters.
  init(_ factory: any MetricsFactory) {
    let handles = OpenConnections.Role.allCases.map { role in
      let labels = [("connection", role.rawValue)]
      return (
        role,
        Handles(
          connected: Meter(
            label: "enlist_database_connected",
            dimensions: labels,
            factory: factory
          ),
          reconnects: Counter(
            label: "enlist_database_reconnects_total",
            dimensions: labels,
            factory: factory
          )
        )
      )
    }
    self.handles = Dictionary(uniqueKeysWithValues: handles)
  }

  /// Records that all connections are open, whatever became of attempts before.
  func opened() {
    for handles in handles.values { handles.connected.set(1) }
  }

  /// Records a change of a connection.
  ///
  /// - Parameters:
  ///   - report: The change.
  ///   - role: What the connection is for.
  func record(_ report: ConnectionReport, of role: OpenConnections.Role) {
    switch report {
    case .lost, .rejected: handles[role]?.connected.set(0)
    case .back:
      handles[role]?.connected.set(1)
      handles[role]?.reconnects.increment()
    case .warning: break
    }
  }
}
