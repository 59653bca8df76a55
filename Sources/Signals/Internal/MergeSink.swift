public import Synchronization

/// The sink of any number of merged signals; it completes with the last of them.
///
/// A `flatMap` that flows into this one needs none of its own.
@usableFromInline
final class MergeSink<Value: Sendable, Failure: Error>: ObserverTarget, @unchecked Sendable {
  // @unchecked Sendable because a subclass has to repeat the conformance of its superclass.

  @usableFromInline let join: SerialJoin<Merging<Value, Failure>>
  @usableFromInline let active: Atomic<Int>
  /// The depth to which signals that flow in are subscribed within each other.
  @usableFromInline let nesting = Lock(Nesting())

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - active: The number of signals that flow in from the beginning.
  ///   - downstream: Receives all their values.
  ///   - subscription: The subscription that ends all of it.
  @inlinable
  init(active: Int, to downstream: Observer<Value, Failure>, _ subscription: CompositeDisposable) {
    join = SerialJoin(Merging(), to: downstream, subscription)
    self.active = Atomic(active)
  }

  /// The observer of signals that flow in.
  @inlinable var inflow: Observer<Value, Failure> {
    Observer(next: { self.join.submit(.next($0)) }, end: { self.end($0) }, target: self)
  }

  /// Subscribes a signal that flows in and has been counted.
  ///
  /// The same as ``Signal/attach(_:into:as:)`` with ``inflow``; its closures hold two objects instead
  /// of five references, which matters where a signal is subscribed for each value.
  @inlinable
  func subscribe(_ signal: Signal<Value, Failure>) {
    let inner = CompositeDisposable()
    join.subscription.add(inner)
    guard !inner.isDisposed else { return }
    signal.attach(
      Observer(
        next: { self.join.submit(.next($0)) },
        end: { end in
          self.end(end)
          self.join.cleanUp(inner)
        },
        target: self
      ),
      inner
    )
  }

  /// Counts one more signal, before it is subscribed.
  @inlinable
  func enter() {
    active.wrappingAdd(1, ordering: .relaxed)
  }

  /// Processes the end of one signal.
  ///
  /// - Returns: Whether the merge has ended.
  @inlinable
  @discardableResult
  func end(_ end: End<Failure>) -> Bool {
    switch end {
    case .completed:
      let left = active.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
      if left > 0 { return false }
      join.submit(.completed)
    case .failed(let error):
      join.submit(.failed(error))
    }
    return true
  }
}
