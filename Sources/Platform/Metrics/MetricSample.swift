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
  /// The labels that distinguish the value from others of the metric.
  package let labels: [Label]
  package let value: Double

  package init(_ name: String, _ labels: [Label], _ value: Double) {
    self.name = name
    self.labels = labels
    self.value = value
  }
}
