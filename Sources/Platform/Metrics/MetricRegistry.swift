internal import Signals

/// The metrics of the process, and their text for Prometheus.
///
/// Components create their handles once. Counting then takes one atomic addition. Observed gauges
/// are read when the text is created, so they cost nothing between two scrapes.
///
/// ```swift
/// let registry = MetricRegistry([MetricDefinition("enlist_things_total", .counter, "Things.")])
/// let things = registry.counter("enlist_things_total")
/// things.increment()
/// let text = registry.text()
/// ```
package final class MetricRegistry: Sendable {
  private enum Source {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(Histogram)
    case reading(@Sendable () -> Double?)
  }

  private struct Series {
    let labels: [MetricSample.Label]
    let text: String
    let source: Source

    init(_ labels: [MetricSample.Label], _ source: Source) {
      self.labels = labels
      text = MetricRegistry.text(of: labels)
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

    /// Returns the index of a family, which is added if the name is unknown.
    mutating func index(of name: String, or kind: MetricDefinition.Kind) -> Int {
      if let index = indices[name] { return index }
      indices[name] = families.count
      families.append(Family(definition: MetricDefinition(name, kind, "")))
      return families.count - 1
    }
  }

  package static let mediaType = PrometheusText.mediaType

  private let state: Lock<State>

  package init(_ definitions: [MetricDefinition]) {
    var state = State()
    for definition in definitions where state.indices[definition.name] == nil {
      state.indices[definition.name] = state.families.count
      state.families.append(Family(definition: definition))
    }
    self.state = Lock(state)
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
      let index = state.index(of: name, or: .gauge)
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

  /// Creates the text of all metrics that have a value.
  package func text(adding samples: [MetricSample] = []) -> [UInt8] {
    let families = state.withLock { $0.families }
    let added = Dictionary(grouping: samples, by: \.name)
    var text = PrometheusText()
    for family in families {
      let name = family.definition.name
      var isBegun = false
      func begin() {
        if !isBegun { text.begin(family.definition) }
        isBegun = true
      }
      for series in family.series {
        switch series.source {
        case .counter(let cell):
          begin()
          text.sample(name, series.text, Double(cell.value))
        case .gauge(let cell):
          begin()
          text.sample(name, series.text, cell.value)
        case .histogram(let cell):
          begin()
          text.histogram(name, series.text, cell)
        case .reading(let read):
          guard let value = read() else { continue }
          begin()
          text.sample(name, series.text, value)
        }
      }
      for sample in added[name] ?? [] {
        begin()
        text.sample(name, Self.text(of: sample.labels), sample.value)
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
      let value: Double? =
        switch series.source {
        case .counter(let counter): Double(counter.value)
        case .gauge(let gauge): gauge.value
        case .histogram: nil
        case .reading(let read): read()
        }
      return value.map { MetricSample(name, series.labels, $0) }
    }
  }

  private static func text(of labels: [MetricSample.Label]) -> String {
    PrometheusText.labels(labels.map { ($0.name, $0.value) })
  }
}

// MARK: - Counters, gauges and histograms

// Handles last as long as the process: a value that disappears looks like one that was never
// counted.
extension MetricRegistry {
  /// Creates a counter, or returns the one with the same labels.
  package func counter(_ name: String, _ labels: [MetricSample.Label] = []) -> Counter {
    make(name, labels, .counter) { _ in
      let counter = Counter()
      return (counter, .counter(counter))
    } reuse: { source in
      if case .counter(let counter) = source { counter } else { nil }
    }
  }

  /// Creates a gauge, or returns the one with the same labels.
  package func gauge(_ name: String, _ labels: [MetricSample.Label] = []) -> Gauge {
    make(name, labels, .gauge) { _ in
      let gauge = Gauge()
      return (gauge, .gauge(gauge))
    } reuse: { source in
      if case .gauge(let gauge) = source { gauge } else { nil }
    }
  }

  /// Creates a histogram with the ranges of its definition, or returns the one with the same
  /// labels.
  package func histogram(_ name: String, _ labels: [MetricSample.Label] = []) -> Histogram {
    make(name, labels, .histogram(bounds: [])) { kind in
      let bounds: [Double] = if case .histogram(let bounds) = kind { bounds } else { [] }
      let histogram = Histogram(bounds: bounds)
      return (histogram, .histogram(histogram))
    } reuse: { source in
      if case .histogram(let histogram) = source { histogram } else { nil }
    }
  }

  private func make<Value: Sendable>(
    _ name: String, _ labels: [MetricSample.Label], _ kind: MetricDefinition.Kind,
    new: (MetricDefinition.Kind) -> (Value, Source), reuse: (Source) -> Value?
  ) -> Value {
    state.withLock { state in
      let index = state.index(of: name, or: kind)
      for series in state.families[index].series where series.labels == labels {
        if let value = reuse(series.source) { return value }
      }
      let (value, source) = new(state.families[index].definition.kind)
      state.families[index].series.append(Series(labels, source))
      return value
    }
  }
}
