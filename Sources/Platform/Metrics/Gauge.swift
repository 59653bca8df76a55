internal import Synchronization

/// The last value of a measurement.
package final class Gauge: Sendable {
  /// The bits of the value, because there is no atomic `Double`.
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
}
