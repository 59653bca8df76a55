internal import Platform

/// The measurements of the connections of a store.
struct ConnectionMetrics: Sendable {
  private var connected: [OpenConnections.Role: Gauge] = [:]
  private var reconnects: [OpenConnections.Role: Counter] = [:]

  /// Creates the measurements; without a registry, nothing is measured.
  init(_ registry: MetricRegistry?) {
    guard let registry else { return }
    for role in OpenConnections.Role.allCases {
      let labels = [MetricSample.Label("connection", role.rawValue)]
      connected[role] = registry.gauge("enlist_database_connected", labels)
      reconnects[role] = registry.counter("enlist_database_reconnects_total", labels)
    }
  }

  /// Records that all connections are open, regardless of failed attempts.
  func opened() {
    for gauge in connected.values { gauge.set(1) }
  }

  /// Records a change of a connection.
  func record(_ report: ConnectionReport, of role: OpenConnections.Role) {
    switch report {
    case .lost, .rejected: connected[role]?.set(0)
    case .back:
      connected[role]?.set(1)
      reconnects[role]?.increment()
    case .warning: break
    }
  }
}
