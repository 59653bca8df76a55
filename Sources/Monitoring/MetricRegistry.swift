package import CoreMetrics
internal import Locks

/// The metrics of the process, and their text for Prometheus.
///
/// Components create their handles with it once, through the types of swift-metrics; a label of that
/// library is the name of a metric here. Counting then takes one atomic addition. Gauges are read
/// when the text is made, so they cost nothing between two scrapes.
///
/// ```swift
/// let registry = MetricRegistry([MetricDefinition("enlist_things_total", .counter, "Things made.")])
/// let things = Counter(label: "enlist_things_total", factory: registry)
/// things.increment()
/// let text = registry.text()
/// ```
package final class MetricRegistry: MetricsFactory, Sendable {
  private enum Source {
    case counter(CounterCell)
    case gauge(GaugeCell)
    case histogram(HistogramCell)
    case reading(@Sendable () -> Double?)
  }

  private struct Series {
    let labels: String
    let source: Source
  }

  private struct Family {
    let definition: MetricDefinition
    var series: [Series] = []
  }

  private struct State {
    var families: [Family] = []
    var indices: [String: Int] = [:]

    /// Returns the index of the family with a name, which is added if it is unknown.
    mutating func index(of name: String, or kind: MetricDefinition.Kind) -> Int {
      if let index = indices[name] { return index }
      indices[name] = families.count
      families.append(Family(definition: MetricDefinition(name, kind, "")))
      return families.count - 1
    }
  }

  /// The media type of the text.
  package static let mediaType = PrometheusText.mediaType

  private let state: Lock<State>

  /// Makes a registry without values.
  ///
  /// - Parameter definitions: The metrics in the order of the text.
  package init(_ definitions: [MetricDefinition]) {
    var state = State()
    for definition in definitions where state.indices[definition.name] == nil {
      state.indices[definition.name] = state.families.count
      state.families.append(Family(definition: definition))
    }
    self.state = Lock(state)
  }

  /// Adds a gauge, or a counter that something else counts, which is read for each text.
  ///
  /// - Parameters:
  ///   - name: The name of the metric.
  ///   - labels: The labels that distinguish the value from others of the metric.
  ///   - read: Returns the value, or `nil` if there is none; called on the thread that makes the
  ///     text, and must not use this registry.
  package func observe(
    _ name: String,
    _ labels: [MetricSample.Label] = [],
    _ read: @escaping @Sendable () -> Double?
  ) {
    let labels = Self.text(of: labels)
    state.withLock { state in
      let index = state.index(of: name, or: .gauge)
      state.families[index].series.append(Series(labels: labels, source: .reading(read)))
    }
  }

  /// Removes all that was added with ``observe(_:_:_:)``, and releases what it reads.
  ///
  /// What is read often counts with this registry, and each would retain the other for good.
  package func stopObserving() {
    // Released without the lock.
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

  /// Makes the text of all metrics that have a value.
  ///
  /// - Parameter samples: Values that were read for this text, in addition to those of the registry.
  /// - Returns: The text, in the format of ``mediaType``.
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
          text.sample(name, series.labels, Double(cell.value))
        case .gauge(let cell):
          begin()
          text.sample(name, series.labels, cell.value)
        case .histogram(let cell):
          begin()
          text.histogram(name, series.labels, cell)
        case .reading(let read):
          guard let value = read() else { continue }
          begin()
          text.sample(name, series.labels, value)
        }
      }
      for sample in added[name] ?? [] {
        begin()
        text.sample(name, Self.text(of: sample.labels), sample.value)
      }
    }
    return text.bytes
  }

  private static func text(of labels: [MetricSample.Label]) -> String {
    PrometheusText.labels(labels.map { ($0.name, $0.value) })
  }
}

// MARK: - MetricsFactory

extension MetricRegistry {
  /// Makes a counter, or returns that with the same labels.
  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    make(label, dimensions, .counter) { _ in
      let cell = CounterCell()
      return (cell, .counter(cell))
    } reuse: { source in
      if case .counter(let cell) = source { cell } else { nil }
    }
  }

  /// Makes a gauge that is set, or returns that with the same labels.
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    makeGauge(label, dimensions)
  }

  /// Makes a histogram, or a gauge for values that are not to be aggregated, or returns that with
  /// the same labels.
  package func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler {
    if aggregate { return makeHistogram(label, dimensions) }
    return makeGauge(label, dimensions)
  }

  /// Makes a histogram of seconds, or returns that with the same labels.
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    makeHistogram(label, dimensions)
  }

  // Metrics are kept as long as the process runs: a value that disappears looks like one that was
  // never counted.

  /// Does nothing.
  package func destroyCounter(_ handler: any CounterHandler) {}

  /// Does nothing.
  package func destroyMeter(_ handler: any MeterHandler) {}

  /// Does nothing.
  package func destroyRecorder(_ handler: any RecorderHandler) {}

  /// Does nothing.
  package func destroyTimer(_ handler: any TimerHandler) {}

  private func makeGauge(_ name: String, _ labels: [(String, String)]) -> GaugeCell {
    make(name, labels, .gauge) { _ in
      let cell = GaugeCell()
      return (cell, .gauge(cell))
    } reuse: { source in
      if case .gauge(let cell) = source { cell } else { nil }
    }
  }

  private func makeHistogram(_ name: String, _ labels: [(String, String)]) -> HistogramCell {
    make(name, labels, .histogram(bounds: [])) { kind in
      let bounds: [Double] = if case .histogram(let bounds) = kind { bounds } else { [] }
      let cell = HistogramCell(bounds: bounds)
      return (cell, .histogram(cell))
    } reuse: { source in
      if case .histogram(let cell) = source { cell } else { nil }
    }
  }

  private func make<Cell: Sendable>(
    _ name: String,
    _ labels: [(String, String)],
    _ kind: MetricDefinition.Kind,
    new: (MetricDefinition.Kind) -> (Cell, Source),
    reuse: (Source) -> Cell?
  ) -> Cell {
    let labels = PrometheusText.labels(labels)
    return state.withLock { state in
      let index = state.index(of: name, or: kind)
      for series in state.families[index].series where series.labels == labels {
        if let cell = reuse(series.source) { return cell }
      }
      let (cell, source) = new(state.families[index].definition.kind)
      state.families[index].series.append(Series(labels: labels, source: source))
      return cell
    }
  }
}
