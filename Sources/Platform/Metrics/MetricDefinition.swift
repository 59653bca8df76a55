/// The definition of a metric: its name, its kind, and its help text.
package struct MetricDefinition: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A number that only grows until the process ends.
    case counter
    /// A number that grows and falls.
    case gauge
    /// The number of values in each of several ranges, and their sum.
    ///
    /// `bounds` are the highest values of the ranges, ascending; one more range has no bound.
    case histogram(bounds: [Double])
  }

  package let name: String
  package let kind: Kind
  /// The help text in one line.
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
  /// The labels that distinguish the value from others of the metric.
  package let labels: [Label]
  package let value: Double

  package init(_ name: String, _ labels: [Label], _ value: Double) {
    self.name = name
    self.labels = labels
    self.value = value
  }
}
