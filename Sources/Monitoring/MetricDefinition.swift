/// The definition of a metric: its name, its kind, and what it says.
package struct MetricDefinition: Hashable, Sendable {
  /// The kind of a metric.
  package enum Kind: Hashable, Sendable {
    /// A number that only grows until the process ends.
    case counter
    /// A number that grows and falls.
    case gauge
    /// The number of values in each of several ranges, and their sum.
    ///
    /// - Parameter bounds: The highest value of each range, ascending; one more range has no bound.
    case histogram(bounds: [Double])
  }

  /// The name, as Prometheus has it.
  package let name: String
  /// The kind.
  package let kind: Kind
  /// What the metric says, in one line.
  package let help: String

  /// Makes a definition.
  package init(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    self.kind = kind
    self.help = help
  }
}
