/// The metrics of a service at successive scrapes, as Prometheus would store them.
struct ScrapeRecord: Sendable {
  /// The values by series; `nil` where nothing responded.
  private(set) var scrapes: [[String: Double]?] = []

  private let names: Set<String>

  /// Makes an empty record of the metrics that alert rules use.
  init(for rules: String) {
    names = Set(rules.matches(of: /\b(?:enlist|process)_[a-z_]+/).map { String($0.0) })
  }

  /// The values by series in the response of `/metrics`.
  static func values(in text: String) -> [String: Double] {
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      values[String(line[..<space])] = Double(line[space...].dropFirst())
    }
    return values
  }

  /// Adds a scrape: the values by series; `nil` if nothing responded.
  mutating func append(_ values: [String: Double]?) {
    scrapes.append(values?.filter { names.contains(String($0.key.prefix { $0 != "{" })) })
  }

  /// The input of `promtool test rules`, which needs `enlist.rules.yml` next to it: of the alerts,
  /// some must fire at some time, and others never.
  ///
  /// For Prometheus, a minute passes between two scrapes: the durations in the rules are for a
  /// service that is scraped for hours, not for one that is harmed several times a second.
  func ruleTest(firing: [String], silent: [String]) -> String {
    let names = Set(scrapes.flatMap { $0.map { Array($0.keys) } ?? [] }).sorted()
    let up = scrapes.map { $0 == nil ? "0" : "1" }.joined(separator: " ")
    var lines = [
      "rule_files: [enlist.rules.yml]", "evaluation_interval: 1m", "tests:", "  - interval: 1m",
      "    input_series:", "      - series: '\(Self.series("up"))'", "        values: \(up)",
    ]
    for name in names {
      lines.append("      - series: '\(Self.series(name))'")
      lines.append("        values: \(values(of: name))")
    }
    lines.append("    promql_expr_test:")
    for (alerts, hasFired) in [(firing, true), (silent, false)] {
      let choice = alerts.joined(separator: "|")
      lines += [
        """
              - expr: 'group by (alertname)
                  (count_over_time(ALERTS{alertstate="firing",alertname=~"\(choice)"}[\(scrapes.count)m]))'
                eval_time: \(scrapes.count - 1)m
        """
      ]
      guard hasFired else { continue }
      lines.append("        exp_samples:")
      lines += alerts.map { "          - {labels: '{alertname=\"\($0)\"}', value: 1}" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The values of a series in the notation of promtool; it goes stale when a scrape lacks it.
  private func values(of name: String) -> String {
    var isFresh = false
    return scrapes.map { scrape in
      let value = scrape?[name]
      defer { isFresh = value != nil }
      guard let value else { return isFresh ? "stale" : "_" }
      return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
    .joined(separator: " ")
  }

  /// A series with the labels that Prometheus adds.
  private static func series(_ name: String) -> String {
    let added = #"job="enlist",instance="chaos"}"#
    return name.hasSuffix("}") ? "\(name.dropLast()),\(added)" : "\(name){\(added)"
  }
}
