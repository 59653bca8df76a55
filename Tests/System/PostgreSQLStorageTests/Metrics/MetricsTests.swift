import MailingList
import Platform
import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct MetricsTests {
  @Test func `batches, the log and lost connections are counted`() async throws {
    let registry = MetricRegistry([
      MetricDefinition("enlist_commit_seconds", .histogram(bounds: [1]), ""),
      MetricDefinition("enlist_commit_size", .histogram(bounds: [1]), ""),
      MetricDefinition("enlist_status_lag_seconds", .histogram(bounds: [1]), ""),
    ])
    var configuration = PostgreSQLSubscriberStore.Configuration(
      deliverOn: QueueScheduler.background)
    configuration.metrics = registry
    try await withStore(configuration) { store, database in
      let replica = TestReplicaState()
      try #require(store.sharedStatusLog).follow(history: 100) { replica.receive($0) }
      for name in ["ada", "bob"] {
        _ = try await store.add(.sample("\(name)@example.org")).values()
      }
      for line in [
        "enlist_commit_seconds_count 2", "enlist_commit_size_sum 2",
        "enlist_database_connected{connection=\"writer\"} 1",
        "enlist_database_reconnects_total{connection=\"writer\"} 0",
      ] { #expect(Self.has(line, registry), "\(line)") }
      try eventually { replica.content.next == 5 }
      // One or two rounds, each with one measurement of what it has read.
      try eventually { !Self.has("enlist_status_lag_seconds_count 0", registry) }
      #expect(Self.has("enlist_status_numbered_total 2", registry))

      try database.terminateSessions()
      for role in OpenConnections.Role.allCases {
        let labels = "{connection=\"\(role.rawValue)\"}"
        try eventually(within: .seconds(60)) {
          Self.has("enlist_database_connected\(labels) 1", registry)
            && !Self.has("enlist_database_reconnects_total\(labels) 0", registry)
        }
      }
    }
  }

  private static func has(_ line: String, _ registry: MetricRegistry) -> Bool {
    String(decoding: registry.text(), as: UTF8.self).split(separator: "\n").contains(line[...])
  }
}

@Suite struct DurationMetricsTests {
  @Test func `durations of transactions and of the log are recorded in seconds`() {
    let registry = MetricRegistry([
      MetricDefinition("enlist_commit_seconds", .histogram(bounds: [1]), ""),
      MetricDefinition("enlist_commit_size", .histogram(bounds: [1]), ""),
      MetricDefinition("enlist_status_lag_seconds", .histogram(bounds: [1]), ""),
    ])
    CommitMetrics(registry).record(1, in: .milliseconds(1250))
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    FollowerMetrics(registry).read(time, at: time.adding(.milliseconds(2500)))
    let text = String(decoding: registry.text(), as: UTF8.self)
    #expect(text.contains("enlist_commit_seconds_sum 1.25\n"))
    #expect(text.contains("enlist_status_lag_seconds_sum 2.5\n"))
  }
}
