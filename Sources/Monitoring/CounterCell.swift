internal import CoreMetrics
internal import Synchronization

/// The count of a counter: one relaxed addition for each event, on any thread.
final class CounterCell: CounterHandler {
  private let count = Atomic<Int64>(0)

  /// The current count.
  var value: Int64 { count.load(ordering: .relaxed) }

  /// Adds to the count.
  func increment(by amount: Int64) {
    count.wrappingAdd(amount, ordering: .relaxed)
  }

  /// Starts from 0 again.
  func reset() {
    count.store(0, ordering: .relaxed)
  }
}
