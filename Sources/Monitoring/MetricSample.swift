/// The value of a metric that was read for one scrape.
package struct MetricSample: Hashable, Sendable {
  /// A label: a name and its value.
  package struct Label: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The value.
    package let value: String

    /// Makes a label.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The name of the metric.
  package let name: String
  /// The labels that distinguish the value from others of the metric.
  package let labels: [Label]
  /// The value.
  package let value: Double

  /// Makes a sample.
  package init(_ name: String, _ labels: [Label], _ value: Double) {
    self.name = name
    self.labels = labels
    self.value = value
  }
}
