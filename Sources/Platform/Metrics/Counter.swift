internal import Synchronization

/// A number of events: one relaxed addition for each, on any thread.
package final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }

  package func increment(by number: Int64 = 1) {
    count.wrappingAdd(number, ordering: .relaxed)
  }
}
