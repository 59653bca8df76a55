/// The text of metrics in the format that Prometheus reads (text format 0.0.4).
///
/// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
struct PrometheusText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var bytes: [UInt8] = []
  /// The metric whose lines are the last ones.
  private var current: String?

  /// Writes a value, after the lines that introduce the metric.
  mutating func sample(_ value: Double, of metric: MetricDefinition, _ labels: String) {
    begin(metric)
    line(metric.name, labels, value)
  }

  mutating func histogram(_ histogram: Histogram, of metric: MetricDefinition) {
    begin(metric)
    let snapshot = histogram.snapshot
    for (index, count) in snapshot.cumulative.enumerated() {
      let bounds = histogram.bounds
      let bound = index < bounds.count ? Self.number(bounds[index]) : "+Inf"
      line("\(metric.name)_bucket", "le=\"\(bound)\"", Double(count))
    }
    line("\(metric.name)_sum", "", snapshot.sum)
    line("\(metric.name)_count", "", Double(snapshot.cumulative.last ?? 0))
  }

  /// Writes the lines that introduce a metric, unless they are written.
  private mutating func begin(_ metric: MetricDefinition) {
    guard metric.name != current else { return }
    current = metric.name
    if !metric.help.isEmpty {
      let help = metric.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
      write("# HELP \(metric.name) \(help)\n")
    }
    let kind =
      switch metric.kind {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    write("# TYPE \(metric.name) \(kind)\n")
  }

  private mutating func line(_ name: String, _ labels: String, _ value: Double) {
    let braces = labels.isEmpty ? "" : "{\(labels)}"
    write("\(name)\(braces) \(Self.number(value))\n")
  }

  /// Formats labels: `a="x",b="y"`.
  static func labels(_ labels: [MetricSample.Label]) -> String {
    labels.map { label in
      let escaped = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(label.name)=\"\(escaped)\""
    }
    .joined(separator: ",")
  }

  /// Formats a number without superfluous digits.
  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  private mutating func write(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }
}
