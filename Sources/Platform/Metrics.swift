internal import Synchronization

package struct MetricDefinition: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case counter
    case gauge
    /// The number of values in each of several ranges, and their sum.
    ///
    /// `bounds` are the highest values of the ranges, ascending; one more range has no bound.
    case histogram(bounds: [Double])
  }

  package let name: String
  package let kind: Kind
  package let help: String

  package init(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    self.kind = kind
    self.help = help
  }
}

/// The value of a metric that was read for one scrape.
package struct MetricSample: Hashable, Sendable {
  package struct Label: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package let name: String
  package let labels: [Label]
  package let value: Double

  package init(_ name: String, _ labels: [Label], _ value: Double) {
    self.name = name
    self.labels = labels
    self.value = value
  }
}

/// A number of events, or the last value of a gauge: one relaxed operation for each, on any thread.
package final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }

  package func increment(by number: Int64 = 1) { count.wrappingAdd(number, ordering: .relaxed) }

  package func set(_ value: Int64) { count.store(value, ordering: .relaxed) }
}

/// Counters of one metric, one for each value of a label.
///
/// The counters are created once; counting is a lookup and one atomic addition.
package struct CounterFamily<Value: Sendable>: Sendable {
  /// By name: a lookup by a value would not be specialized, and take four times as long.
  private let counters: [String: Counter]
  private let name: @Sendable (Value) -> String

  /// Creates the counters in the order of the values, each of which is listed once.
  package init(
    _ metric: String, by label: String, of values: [Value], with labels: [MetricSample.Label] = [],
    _ registry: MetricRegistry, name: @escaping @Sendable (Value) -> String
  ) {
    let counters = values.map { value in
      (name(value), registry.counter(metric, labels + [.init(label, name(value))]))
    }
    self.counters = Dictionary(counters) { first, _ in first }
    self.name = name
  }

  /// Counts events; a value without a counter is ignored.
  package func count(_ value: Value, times number: Int64 = 1) {
    counters[name(value)]?.increment(by: number)
  }
}

extension CounterFamily
where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// Creates a counter for each case, whose raw value is its name in the metric.
  package init(
    _ metric: String, by label: String, with labels: [MetricSample.Label] = [],
    _ registry: MetricRegistry
  ) {
    self.init(
      metric, by: label, of: Array(Value.allCases), with: labels, registry
    ) { $0.rawValue }
  }
}

/// The distribution of values: two atomic operations for each value, on any thread.
package final class Histogram: Sendable {
  let bounds: [Double]
  /// The count of each range; their number is one more than that of the bounds.
  private let counts: [Counter]
  /// The bits of the sum, because there is no atomic `Double`.
  private let sum = Atomic<UInt64>(0)

  init(bounds: [Double]) {
    self.bounds = bounds
    counts = (0...bounds.count).map { _ in Counter() }
  }

  /// The number of values up to each bound, and of all of them last, and their sum; a value that is
  /// recorded meanwhile may be in only one of them.
  var snapshot: (cumulative: [Int64], sum: Double) {
    var total: Int64 = 0
    let cumulative = counts.map { count in
      total += count.value
      return total
    }
    return (cumulative, Double(bitPattern: sum.load(ordering: .relaxed)))
  }

  package func record(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count].increment()
    var bits = sum.load(ordering: .relaxed)
    while true {
      let (exchanged, original) = sum.weakCompareExchange(
        expected: bits, desired: (Double(bitPattern: bits) + value).bitPattern, ordering: .relaxed)
      if exchanged { return }
      bits = original
    }
  }
}
