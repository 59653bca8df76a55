public import Synchronization

/// Where any number of signals flow together; it completes when the last of them has.
@usableFromInline
final class Confluence<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let join: Join<Merging<Value, Failure>>
  @usableFromInline let active: Atomic<Int>

  /// Makes one.
  ///
  /// - Parameters:
  ///   - active: How many signals flow in from the beginning.
  ///   - downstream: Receives all that they send.
  ///   - subscription: What ends it all.
  @inlinable
  init(
    active: Int,
    to downstream: Observer<Value, Failure>,
    _ subscription: CompositeDisposable
  ) {
    join = Join(Merging(), to: downstream, subscription)
    self.active = Atomic(active)
  }

  /// What each of the signals is subscribed with.
  @inlinable var inflow: Observer<Value, Failure> {
    Observer(next: { self.join.submit(.next($0)) }, end: { self.end($0) })
  }

  /// Counts one more signal, before it is subscribed.
  @inlinable
  func enter() {
    active.wrappingAdd(1, ordering: .relaxed)
  }

  /// Takes in the end of one signal.
  @inlinable
  func end(_ end: End<Failure>) {
    switch end {
    case .completed:
      let left = active.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
      if left == 0 { join.submit(.completed) }
    case .failed(let error):
      join.submit(.failed(error))
    }
  }
}
