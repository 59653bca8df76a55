internal import Synchronization

/// The last value of a measurement.
package final class Gauge: Sendable {
  /// The bits of the value, because an atomic has none for `Double`.
  private let bits = Atomic<UInt64>(0)

  /// The current value.
  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  /// Replaces the value.
  package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
}
