internal import Synchronization

/// A sink for values that keeps them from being optimized away; costs a load and a store.
final class Sum: Sendable {
  private let total = Atomic(0)

  func add(_ value: Int) {
    total.store(total.load(ordering: .relaxed) &+ value, ordering: .relaxed)
  }
}
