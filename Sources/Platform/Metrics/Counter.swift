internal import Synchronization

/// A number of events, or the last value of a gauge: one relaxed operation for each, on any thread.
package final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }

  package func increment(by number: Int64 = 1) {
    count.wrappingAdd(number, ordering: .relaxed)
  }

  package func set(_ value: Int64) { count.store(value, ordering: .relaxed) }
}

/// Counters of one metric, one for each value of a label.
///
/// The counters are created once; counting is a lookup and one atomic addition.
///
/// ```swift
/// enum Color: String, CaseIterable { case red, green }
/// let things = CounterFamily<Color>("enlist_things_total", by: "color", registry)
/// things.count(.red)
/// ```
package struct CounterFamily<Value: Hashable & Sendable>: Sendable {
  private var counters: [Value: Counter] = [:]

  /// Creates the counters in the order of the values, each of which is listed once.
  package init(
    _ metric: String, by label: String, of values: [Value], with labels: [MetricSample.Label] = [],
    _ registry: MetricRegistry, name: (Value) -> String
  ) {
    for value in values {
      counters[value] = registry.counter(metric, labels + [.init(label, name(value))])
    }
  }

  /// Counts events; a value without a counter is ignored.
  package func count(_ value: Value, times number: Int64 = 1) {
    counters[value]?.increment(by: number)
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
      metric, by: label, of: Array(Value.allCases), with: labels, registry, name: \.rawValue)
  }
}
