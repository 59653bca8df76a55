import Testing

@testable import Platform

@Suite struct MetricRegistryTests {
  private let registry = MetricRegistry([
    MetricDefinition("things_total", .counter, "Things made."),
    MetricDefinition("queue", .gauge, "Things that wait."),
    MetricDefinition("wait_seconds", .histogram(bounds: [0.1, 1]), "Time that they wait."),
    MetricDefinition("size", .histogram(bounds: [1, 8]), "Size of a batch."),
    MetricDefinition("never_total", .counter, "Without a value."),
  ])

  private enum Color: String, CaseIterable {
    case red
    case lightBlue = "light-blue"
  }

  private func text(adding samples: [MetricSample] = []) -> String {
    String(decoding: registry.text(adding: samples), as: UTF8.self)
  }

  @Test func `the text has all metrics with a value, in the order of their definitions`() {
    registry.observe("queue") { 7 }
    let red = registry.counter("things_total", [.init("color", "red")])
    red.increment(by: 2)
    red.increment()
    let size = registry.histogram("size")
    size.record(1)
    size.record(9)
    #expect(
      text() == """
        # HELP things_total Things made.
        # TYPE things_total counter
        things_total{color="red"} 3
        # HELP queue Things that wait.
        # TYPE queue gauge
        queue 7
        # HELP size Size of a batch.
        # TYPE size histogram
        size_bucket{le="1"} 1
        size_bucket{le="8"} 1
        size_bucket{le="+Inf"} 2
        size_sum 10
        size_count 2

        """
    )
  }

  @Test func `a bound of a histogram includes its value`() {
    for value in [0.25, 0.25, 0.1] { registry.histogram("wait_seconds").record(value) }
    let text = text()
    #expect(text.contains("wait_seconds_bucket{le=\"0.1\"} 1\n"))
    #expect(text.contains("wait_seconds_bucket{le=\"1\"} 3\n"))
    #expect(text.contains("wait_seconds_sum 0.6\n"))
    #expect(text.contains("wait_seconds_count 3\n"))
  }

  @Test func `counters with the same labels share a value`() {
    for _ in 0..<2 { registry.counter("things_total").increment() }
    #expect(text().contains("\nthings_total 2\n"))
  }

  @Test func `a family has a counter for each value, from the start`() {
    let things = CounterFamily<Color>("things_total", by: "color", registry)
    things.count(.lightBlue)
    things.count(.lightBlue, times: 2)
    #expect(
      text().hasSuffix("\nthings_total{color=\"red\"} 0\nthings_total{color=\"light-blue\"} 3\n"))
  }

  @Test func `a family does not count a value that it does not have`() {
    let things = CounterFamily("things_total", by: "color", of: ["red"], registry, name: \.self)
    things.count("blue")
    #expect(text().hasSuffix("\nthings_total{color=\"red\"} 0\n"))
  }

  @Test func `a gauge without a value is left out`() {
    registry.observe("queue") { nil }
    #expect(text() == "")
    #expect(text(adding: [MetricSample("queue", [], 1.5)]).hasSuffix("\nqueue 1.5\n"))
  }

  @Test func `a registry that stops observing releases what it read, and keeps what was counted`()
    throws
  {
    /// Reads its own counter, and so retains the registry that retains it.
    final class Component: Sendable {
      let counter: Counter

      init(_ registry: MetricRegistry) {
        counter = registry.counter("things")
      }
    }

    let registry = MetricRegistry([])
    weak var component: Component?
    do {
      let observed = Component(registry)
      component = observed
      observed.counter.increment()
      registry.observe("size") { withExtendedLifetime(observed) { 1 } }
    }
    #expect(component != nil)
    registry.stopObserving()
    #expect(component == nil)
    let text = String(decoding: registry.text(), as: UTF8.self)
    #expect(text.contains("things 1"))
    #expect(!text.contains("size"))
  }

  @Test func `a gauge can be set`() {
    registry.counter("queue").set(3)
    #expect(text().hasSuffix("\nqueue 3\n"))
  }

  @Test func `the value of a label is escaped`() {
    let sample = MetricSample("queue", [.init("name", "a\"b\\c\nd")], 1)
    #expect(text(adding: [sample]).hasSuffix("\nqueue{name=\"a\\\"b\\\\c\\nd\"} 1\n"))
  }

  @Test func `concurrent additions are not lost`() async {
    let counter = registry.counter("things_total")
    let size = registry.histogram("size")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<1000 {
            counter.increment()
            size.record(2)
          }
        }
      }
    }
    #expect(text().contains("\nthings_total 4000\n"))
    #expect(text().contains("\nsize_sum 8000\n"))
    #expect(text().contains("\nsize_count 4000\n"))
  }
}
