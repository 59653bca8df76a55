internal import Synchronization

/// The distribution of values: two atomic operations for each value, on any thread.
package final class Histogram: Sendable {
  /// The counts at one moment.
  struct Snapshot {
    /// The number of values up to each bound, ascending; the last is the number of all values.
    let cumulative: [Int64]
    let sum: Double
  }

  /// The highest value of each range, ascending.
  let bounds: [Double]
  /// The count of each range; their number is one more than that of the bounds.
  private let counts: [Counter]
  /// The bits of the sum, because there is no atomic `Double`.
  private let sum = Atomic<UInt64>(0)

  init(bounds: [Double]) {
    self.bounds = bounds
    counts = (0...bounds.count).map { _ in Counter() }
  }

  /// The counts and the sum; a value that is recorded meanwhile may be in only one of them.
  var snapshot: Snapshot {
    var total: Int64 = 0
    let cumulative = counts.map { count in
      total += count.value
      return total
    }
    return Snapshot(cumulative: cumulative, sum: Double(bitPattern: sum.load(ordering: .relaxed)))
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
