internal import CoreMetrics
internal import Synchronization

/// The last value of a gauge.
final class GaugeCell: MeterHandler, RecorderHandler {
  /// The bits of the value, because an atomic has none for `Double`.
  private let bits = Atomic<UInt64>(0)

  /// The current value.
  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Int64) { set(Double(value)) }

  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  func increment(by amount: Double) { bits.add(amount) }

  func decrement(by amount: Double) { bits.add(-amount) }

  func record(_ value: Int64) { set(Double(value)) }

  func record(_ value: Double) { set(value) }
}

extension Atomic<UInt64> {
  /// Adds to the `Double` whose bits are stored.
  func add(_ amount: Double) {
    var bits = load(ordering: .relaxed)
    while true {
      let sum = Double(bitPattern: bits) + amount
      let (exchanged, original) = weakCompareExchange(
        expected: bits,
        desired: sum.bitPattern,
        ordering: .relaxed
      )
      if exchanged { return }
      bits = original
    }
  }
}
