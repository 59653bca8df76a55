/// The text of metrics in the format that Prometheus reads (text format 0.0.4).
///
/// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
struct PrometheusText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var bytes: [UInt8] = []

  /// Writes the lines that introduce a metric.
  mutating func begin(_ definition: MetricDefinition) {
    if !definition.help.isEmpty {
      let help = definition.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
      write("# HELP \(definition.name) \(help)\n")
    }
    let kind =
      switch definition.kind {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    write("# TYPE \(definition.name) \(kind)\n")
  }

  mutating func sample(_ name: String, _ labels: String, _ value: Double) {
    let braces = labels.isEmpty ? "" : "{\(labels)}"
    write("\(name)\(braces) \(Self.number(value))\n")
  }

  mutating func histogram(_ name: String, _ labels: String, _ cell: Histogram) {
    let snapshot = cell.snapshot
    let prefix = labels.isEmpty ? "" : "\(labels),"
    for (index, count) in snapshot.cumulative.enumerated() {
      let bound = index < cell.bounds.count ? Self.number(cell.bounds[index]) : "+Inf"
      sample("\(name)_bucket", "\(prefix)le=\"\(bound)\"", Double(count))
    }
    sample("\(name)_sum", labels, snapshot.sum)
    sample("\(name)_count", labels, Double(snapshot.cumulative.last ?? 0))
  }

  /// Formats labels: `a="x",b="y"`.
  static func labels(_ labels: some Sequence<(String, String)>) -> String {
    labels.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    .joined(separator: ",")
  }

  /// Formats a number without superfluous digits.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  private mutating func write(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }
}
