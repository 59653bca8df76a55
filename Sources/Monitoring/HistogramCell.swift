internal import CoreMetrics
internal import Synchronization

/// The counts of a histogram: two atomic operations for each value, on any thread.
///
/// As a timer it receives nanoseconds, and counts seconds.
final class HistogramCell: RecorderHandler, TimerHandler {
  /// The counts at one moment.
  struct Snapshot {
    /// The number of values up to each bound, ascending; the last is the number of all values.
    let cumulative: [Int64]
    /// The sum of the values.
    let sum: Double
  }

  /// The highest value of each range, ascending.
  let bounds: [Double]
  /// The count of each range; one more than there are bounds.
  private let counts: [CounterCell]
  /// The bits of the sum.
  private let sum = Atomic<UInt64>(0)

  /// Makes an empty histogram.
  ///
  /// - Parameter bounds: The highest value of each range, ascending.
  init(bounds: [Double]) {
    self.bounds = bounds
    counts = (0...bounds.count).map { _ in CounterCell() }
  }

  /// The counts and the sum; values that are recorded meanwhile may be in one of them only.
  var snapshot: Snapshot {
    var total: Int64 = 0
    let cumulative = counts.map { count in
      total += count.value
      return total
    }
    return Snapshot(
      cumulative: cumulative,
      sum: Double(bitPattern: sum.load(ordering: .relaxed))
    )
  }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count].increment(by: 1)
    sum.add(value)
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
}
