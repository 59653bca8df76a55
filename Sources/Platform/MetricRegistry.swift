internal import Signals

/// The metrics of the process, and their text for Prometheus.
///
/// Components create their handles once. Counting then takes one atomic addition. Observed gauges
/// are read when the text is created, so they cost nothing between two scrapes.
package final class MetricRegistry: Sendable {
  private enum Source {
    case counter(Counter)
    case histogram(Histogram)
    case reading(@Sendable () -> Double?)

    var value: Double? {
      switch self {
      case .counter(let counter): Double(counter.value)
      case .histogram: nil
      case .reading(let read): read()
      }
    }
  }

  private struct Series {
    let labels: [MetricSample.Label]
    let text: String
    let source: Source

    init(_ labels: [MetricSample.Label], _ source: Source) {
      self.labels = labels
      text = PrometheusText.labels(labels)
      self.source = source
    }
  }

  private struct Family {
    let definition: MetricDefinition
    var series: [Series] = []
  }

  private struct State {
    var families: [Family] = []
    var indices: [String: Int] = [:]

    /// Returns the index of a family, which is added if its name is unknown.
    mutating func index(of definition: MetricDefinition) -> Int {
      if let index = indices[definition.name] { return index }
      indices[definition.name] = families.count
      families.append(Family(definition: definition))
      return families.count - 1
    }
  }

  package static let mediaType = PrometheusText.mediaType

  private let state: Lock<State>

  /// Creates a registry, which also takes metrics that are not defined, but without their help.
  package init(_ definitions: [MetricDefinition] = []) {
    var state = State()
    for definition in definitions { _ = state.index(of: definition) }
    self.state = Lock(state)
  }

  // Handles last as long as the process: a value that disappears looks like one that was never
  // counted.

  /// Creates a counter, or a gauge that is set; returns the one with the same labels if it exists.
  package func counter(_ name: String, _ labels: [MetricSample.Label] = []) -> Counter {
    state.withLock { state in
      let index = state.index(of: MetricDefinition(name, .counter, ""))
      for series in state.families[index].series where series.labels == labels {
        if case .counter(let counter) = series.source { return counter }
      }
      let counter = Counter()
      state.families[index].series.append(Series(labels, .counter(counter)))
      return counter
    }
  }

  /// Creates a histogram with the ranges of its definition, or returns the existing one.
  package func histogram(_ name: String) -> Histogram {
    state.withLock { state in
      let index = state.index(of: MetricDefinition(name, .histogram(bounds: []), ""))
      for series in state.families[index].series {
        if case .histogram(let histogram) = series.source { return histogram }
      }
      let kind = state.families[index].definition.kind
      let bounds: [Double] = if case .histogram(let bounds) = kind { bounds } else { [] }
      let histogram = Histogram(bounds: bounds)
      state.families[index].series.append(Series([], .histogram(histogram)))
      return histogram
    }
  }

  /// Adds a gauge, or a counter of another component, which is read for each text.
  ///
  /// - Parameter read: Returns the value, or `nil` if there is none; called on the thread that
  ///   creates the text, and must not use this registry.
  package func observe(
    _ name: String, _ labels: [MetricSample.Label] = [], _ read: @escaping @Sendable () -> Double?
  ) {
    let series = Series(labels, .reading(read))
    state.withLock { state in
      let index = state.index(of: MetricDefinition(name, .gauge, ""))
      state.families[index].series.append(series)
    }
  }

  /// Removes and releases everything that was added with ``observe(_:_:_:)``.
  ///
  /// An observed object often counts with this registry, and each would retain the other
  /// permanently.
  package func stopObserving() {
    // Release outside the lock.
    let readings = state.withLock { state in
      let families = state.families
      for index in families.indices {
        state.families[index].series.removeAll { series in
          if case .reading = series.source { true } else { false }
        }
      }
      return families
    }
    _ = consume readings
  }

  package func text(adding samples: [MetricSample] = []) -> [UInt8] {
    let families = state.withLock { $0.families }
    let added = Dictionary(grouping: samples, by: \.name)
    var text = PrometheusText()
    for family in families {
      for series in family.series {
        if case .histogram(let histogram) = series.source {
          text.histogram(histogram, of: family.definition)
        } else if let value = series.source.value {
          text.sample(value, of: family.definition, series.text)
        }
      }
      for sample in added[family.definition.name] ?? [] {
        text.sample(sample.value, of: family.definition, PrometheusText.labels(sample.labels))
      }
    }
    return text.bytes
  }

  /// Returns the current values of a metric other than a histogram, in the order of the text.
  package func samples(of name: String) -> [MetricSample] {
    let series = state.withLock { state in
      state.indices[name].map { state.families[$0].series } ?? []
    }
    return series.compactMap { series in
      series.source.value.map { MetricSample(name, series.labels, $0) }
    }
  }
}

/// The text of metrics in the format that Prometheus reads (text format 0.0.4).
///
/// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
struct PrometheusText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var bytes: [UInt8] = []
  /// The metric whose lines are the last ones.
  private var current: String?

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
      var value = label.value
      // A start makes a hundred, and hardly any has such a character.
      if value.utf8.contains(where: { "\\\"\n".utf8.contains($0) }) {
        value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
          .replacing("\n", with: "\\n")
      }
      return "\(label.name)=\"\(value)\""
    }
    .joined(separator: ",")
  }

  /// Formats a number without superfluous digits.
  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
