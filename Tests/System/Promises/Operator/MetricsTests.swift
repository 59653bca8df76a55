import Foundation
import Services
import Platform
import TestSupport
import Testing

/// Tests of the metrics of the running program.
@Suite struct MetricsTests {
  @Test func `sign-ups, problems and commits are counted`() throws {
    let service = try Enlist(.openMetrics)
    for name in ["ada", "bob", "ada"] { try service.signUp("\(name)@example.com").expect(202) }
    try service.signUp("invalid").expect(422)
    try service.get("/none").expect(404)
    let text = try service.metrics()
    for line in [
      "enlist_executions_total{outcome=\"completed\"} 3",
      "enlist_executions_total{outcome=\"failed\"} 0", "enlist_execution_conflicts_total 0",
      "enlist_problems_total{problem=\"invalid-email\"} 1",
      "enlist_problems_total{problem=\"not-found\"} 1",
      "enlist_invalid_addresses_total{reason=\"missingAt\"} 1",
      "enlist_subscribers{state=\"subscribed\"} 2", "enlist_commit_seconds_count 3",
      "enlist_commit_size_sum 3", "enlist_commit_size_bucket{le=\"1\"} 3",
      "enlist_queued_sign_ups 0", "enlist_store_errors_total{error=\"full\"} 0",
      "enlist_outbox_messages 0", "enlist_log_lines_dropped_total 0",
    ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
    for (name, least) in [
      ("enlist_wal_bytes", 0.0), ("process_open_fds", 5),
      ("process_resident_memory_bytes", 1_000_000),
    ] {
      let value = try #require(try service.metric(name), "\(name)")
      #expect(value > least, "\(name)")
    }
    for absent in ["@", "example.com", "enlist_relay_paused"] { #expect(!text.contains(absent)) }
  }

  @Test func `streams, their events and their ends are counted`() throws {
    let service = try Enlist(.openMetrics)
    let streams = "enlist_streams"
    try service.signUp("ada@example.com").expect(202)
    let client = try service.stream()
    try eventually("the stream in the metrics") { try service.metric(streams) == 1 }
    try service.signUp("bob@example.com").expect(202)
    try eventually("two events in the metrics") {
      try service.metric("enlist_stream_events_total{kind=\"live\"}") ?? 0 >= 2
    }
    client.close()
    try eventually("the end of the stream in the metrics") {
      try service.metric("enlist_stream_closes_total{reason=\"client\"}") == 1
    }
    let count = try service.metric(streams)
    #expect(count == 0)
  }

  @Test func `mails are counted by what has become of them`() throws {
    let service = try Enlist(.mail + .openMetrics)
    try service.signUp("ada@example.com").expect(202)
    _ = try service.mails(1)
    try eventually("the mail in the metrics") {
      try service.metric("enlist_mails_total{result=\"sent\"}") == 1
    }
    try service.waitUntilOutboxIsEmpty()
    for (name, expected) in [
      ("enlist_outbox_oldest_seconds", 0.0), ("enlist_relay_paused", 0),
      ("enlist_relay_elsewhere", 0), ("enlist_subscribers{state=\"pending\"}", 1),
    ] {
      let value = try service.metric(name)
      #expect(value == expected, "\(name)")
    }
  }

  @Test func `the time until the certificate expires is known`() throws {
    let service = try Enlist(.openMetrics, certificate: TestCertificate())
    let line = try eventually("the time until the certificate expires") {
      let client = try Client(port: try service.operatorPort())
      try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.3")
      try client.request("GET", "/metrics")
      let text = try client.readResponse().text
      return text.split(separator: "\n").first { $0.hasPrefix("enlist_certificate_seconds ") }
    }
    let seconds = try #require(line.split(separator: " ").last.flatMap { Double($0) })
    #expect(seconds > 0)
  }

  @Test func `every metric has a line in the documentation, and rules use only metrics`() throws {
    let names = Set(MetricTable.definitions.map(\.name))
    let page = try OperatingFiles.read("metrics.md")
    for name in names { #expect(page.contains("`\(name)"), "\(name)") }
    let derived = names.flatMap { ["\($0)_bucket", "\($0)_sum", "\($0)_count"] }
    for file in [
      "metrics.md", "enlist.rules.yml", "enlist.rules.test.yml", "enlist.dashboard.json",
    ] {
      for match in try OperatingFiles.read(file).matches(of: /\b(?:enlist|process)_[a-z_]+/) {
        let name = String(match.0)
        #expect(names.contains(name) || derived.contains(name), "\(file): \(name)")
      }
    }
  }

  @Test func `every alert is explained`() throws {
    let page = try OperatingFiles.read("metrics.md")
    let alerts = try OperatingFiles.read("enlist.rules.yml").matches(of: /- alert: (\w+)/)
    #expect(alerts.count > 10)
    for alert in alerts { #expect(page.contains("*\(alert.1)*"), "\(alert.1)") }
  }

  @Test func `the dashboard is JSON with a query in each panel`() throws {
    struct Dashboard: Decodable {
      struct Panel: Decodable {
        struct Target: Decodable { var expr: String }
        var targets: [Target]
      }
      var panels: [Panel]
    }
    let data = Data(try OperatingFiles.read("enlist.dashboard.json").utf8)
    let dashboard = try JSONDecoder().decode(Dashboard.self, from: data)
    #expect(dashboard.panels.count > 10)
    for panel in dashboard.panels { #expect(!panel.targets.isEmpty) }
  }
}

/// Tests of the metrics and the alert rules with Prometheus's own tool.
@Suite(.enabled(if: Child.finds("promtool"), "promtool is not installed: Scripts/bootstrap all"))
struct PromtoolTests {
  @Test func `promtool has nothing to say about the metrics`() throws {
    let service = try Enlist(.mail + .openMetrics)
    try service.signUp("ada@example.com").expect(202)
    try service.signUp("invalid").expect(422)
    let check = try Child.run(["promtool", "check", "metrics"], input: try service.metrics())
    #expect(check.end == .exit(0))
    #expect(check.output + check.errors == "")
  }

  @Test func `promtool accepts the rules, and alerts fire as their tests say`() throws {
    let folder = try Folder()
    for name in ["enlist.rules.yml", "enlist.rules.test.yml"] {
      try folder.write(try OperatingFiles.read(name), to: name)
    }
    for arguments in [
      ["check", "rules", "enlist.rules.yml"], ["test", "rules", "enlist.rules.test.yml"],
    ] {
      let run = try Child.run(["promtool"] + arguments, in: folder)
      #expect(run.end == .exit(0), "\(run.output) \(run.errors)")
    }
  }
}

/// The files for operators in the repository.
enum OperatingFiles {
  /// Reads a file of `docs/operating`.
  static func read(_ name: String) throws -> String {
    try Document("docs/operating/\(name)").text
  }
}
