internal import MailingList
internal import Platform

/// The measurements of the connections of a store.
struct ConnectionMetrics: Sendable {
  private var connected: [OpenConnections.Role: Counter] = [:]
  private var reconnects: [OpenConnections.Role: Counter] = [:]

  init(_ registry: MetricRegistry) {
    for role in OpenConnections.Role.allCases {
      let labels = [MetricSample.Label("connection", role.rawValue)]
      connected[role] = registry.counter("enlist_database_connected", labels)
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

/// The measurements of the thread that follows the status log.
struct FollowerMetrics: Sendable {
  private let lag: Histogram
  private let numbered: Counter
  private let malformed: Counter
  private let stalled: Counter

  init(_ registry: MetricRegistry = MetricRegistry()) {
    lag = registry.histogram("enlist_status_lag_seconds")
    numbered = registry.counter("enlist_status_numbered_total")
    malformed = registry.counter("enlist_status_malformed_total")
    stalled = registry.counter("enlist_status_stalled")
  }

  /// Records the lag of the newest received message.
  func read(_ time: Timestamp, at now: Timestamp) {
    lag.record(Double(max(0, now.millisecondsSince1970 - time.millisecondsSince1970)) / 1000)
  }

  /// Records whether messages have waited for their positions for too long.
  func isStalled(_ isStalled: Bool) {
    stalled.set(isStalled ? 1 : 0)
  }

  /// Counts deleted rows, which were malformed.
  func count(malformed rows: Int32) {
    malformed.increment(by: Int64(rows))
  }

  /// Counts batches whose messages this follower has numbered.
  func count(numbered batches: Int32) {
    numbered.increment(by: Int64(batches))
  }
}
