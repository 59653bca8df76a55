import Foundation
import Platform
import OperatorService
import TestSupport
import Testing

/// Tests of the metrics of the running program.
@Suite struct MetricsTests {
  private static let flags = RunningService.openMetricsFlags

  @Test func `sign-ups, problems and commits are counted`() throws {
    let service = try RunningService(Self.flags)
    for name in ["ada", "bob", "ada"] {
      #expect(try service.signUp("\(name)@example.com").status == 202)
    }
    #expect(try service.signUp("invalid").status == 422)
    #expect(try service.request("GET", "/none").status == 404)
    let expected: [(String, Double)] = [
      ("enlist_executions_total{outcome=\"completed\"}", 3),
      ("enlist_executions_total{outcome=\"failed\"}", 0),
      ("enlist_execution_conflicts_total", 0),
      ("enlist_problems_total{problem=\"invalid-email\"}", 1),
      ("enlist_problems_total{problem=\"not-found\"}", 1),
      ("enlist_invalid_addresses_total{reason=\"missingAt\"}", 1),
      ("enlist_subscribers{state=\"subscribed\"}", 2),
      ("enlist_commit_seconds_count", 3),
      ("enlist_commit_size_sum", 3),
      ("enlist_commit_size_bucket{le=\"1\"}", 3),
      ("enlist_queued_sign_ups", 0),
      ("enlist_store_errors_total{error=\"full\"}", 0),
      ("enlist_outbox_messages", 0),
      ("enlist_log_lines_dropped_total", 0),
    ]
    let text = try service.metrics()
    for (name, value) in expected {
      let line = "\(name) \(Int(value))"
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    #expect(try service.metric("enlist_wal_bytes") ?? 0 > 0)
    #expect(try service.metric("process_open_fds") ?? 0 > 5)
    #expect(try service.metric("process_resident_memory_bytes") ?? 0 > 1_000_000)
    for absent in ["@", "example.com", "enlist_relay_paused"] { #expect(!text.contains(absent)) }
  }

  @Test func `streams, their events and their ends are counted`() throws {
    let service = try RunningService(Self.flags)
    #expect(try service.signUp("ada@example.com").status == 202)
    let client = try service.connect()
    try client.request("GET", "/status")
    #expect(try client.readHead().status == 200)
    try Deadline.soon.wait { try service.metric("enlist_streams{kind=\"direct\"}") == 1 }
    #expect(try service.signUp("bob@example.com").status == 202)
    try Deadline.soon.wait {
      try service.metric("enlist_stream_events_total{kind=\"live\"}") ?? 0 >= 2
    }
    client.close()
    try Deadline.soon.wait {
      try service.metric("enlist_stream_closes_total{reason=\"client\"}") == 1
    }
    #expect(try service.metric("enlist_streams{kind=\"direct\"}") == 0)
  }

  @Test func `mails are counted by what has become of them`() throws {
    let service = try RunningService(RunningService.mailFlags + Self.flags)
    #expect(try service.signUp("ada@example.com").status == 202)
    _ = try service.waitForMails(1)
    try Deadline.soon.wait { try service.metric("enlist_mails_total{result=\"sent\"}") == 1 }
    try Deadline.soon.wait { try service.metric("enlist_outbox_messages") == 0 }
    #expect(try service.metric("enlist_outbox_oldest_seconds") == 0)
    #expect(try service.metric("enlist_relay_paused") == 0)
    #expect(try service.metric("enlist_relay_elsewhere") == 0)
    #expect(try service.metric("enlist_subscribers{state=\"pending\"}") == 1)
  }

  @Test func `the time until the certificate expires is known`() throws {
    let service = try SecureService(try TestCertificate(), Self.flags)
    let port = try Deadline.soon.value {
      RunningService.operatorPort(in: service.process.standardError)
    }
    let line = try Deadline.soon.value {
      let client = try SocketClient(port: port)
      try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.3")
      try client.request("GET", "/metrics")
      let text = try client.readResponse().text
      return text.split(separator: "\n").first { $0.hasPrefix("enlist_certificate_seconds ") }
    }
    #expect(line.split(separator: " ").last.flatMap { Double($0) } ?? 0 > 0)
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
@Suite(
  .enabled(if: Program.isThere("promtool"), "promtool is not installed: Scripts/bootstrap all"))
struct PromtoolTests {
  @Test func `promtool has nothing to say about the metrics`() throws {
    let service = try RunningService(RunningService.mailFlags + RunningService.openMetricsFlags)
    #expect(try service.signUp("ada@example.com").status == 202)
    #expect(try service.signUp("invalid").status == 422)
    try service.folder.write(try service.metrics(), to: "metrics.txt")
    let check = try Program.run("promtool check metrics <metrics.txt", in: service.folder)
    #expect(check.end == .exit(0), "\(check.text)")
    #expect(check.text.isEmpty, "\(check.text)")
  }

  @Test func `promtool accepts the rules, and alerts fire as their tests say`() throws {
    let folder = try TemporaryFolder()
    for name in ["enlist.rules.yml", "enlist.rules.test.yml"] {
      try folder.write(try OperatingFiles.read(name), to: name)
    }
    let check = try Program.run("promtool check rules enlist.rules.yml", in: folder)
    #expect(check.end == .exit(0), "\(check.text)")
    let test = try Program.run("promtool test rules enlist.rules.test.yml", in: folder)
    #expect(test.end == .exit(0), "\(test.text)")
  }
}

/// The files for operators in the repository.
enum OperatingFiles {
  /// Reads a file of `docs/operating`.
  static func read(_ name: String) throws -> String {
    try Document("docs/operating/\(name)").text
  }
}
