public import Synchronization

/// What stands behind the observer that `Signal { }` hands out.
///
/// It may be used from any thread and at any time: events are put in one order, and those after the
/// end or after disposal are dropped.
@usableFromInline
final class GatedObserver<Value: Sendable, Failure: Error>: Disposable {
  @usableFromInline
  enum Operation: Sendable {
    case next(Value)
    case end(End<Failure>)
    case letGo
  }

  @usableFromInline let gate = OwnershipGate<Operation>()
  @usableFromInline let disposed = Atomic(false)
  // nonisolated(unsafe), and without exclusivity checks, because only the gate's owner touches it.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var downstream: Observer<Value, Failure>?

  @inlinable
  init(_ downstream: Observer<Value, Failure>) {
    self.downstream = downstream
  }

  @inlinable var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  @inlinable
  func next(_ value: Value) {
    submit(.next(value))
  }

  @inlinable
  func end(_ end: End<Failure>) {
    submit(.end(end))
  }

  /// Drops what comes, at once, and lets go of the subscriber as soon as no event is on its way.
  @inlinable
  func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    submit(.letGo)
  }

  @inlinable
  func submit(_ operation: Operation) {
    if gate.enter() {
      perform(operation)
    } else if !gate.queue(operation) {
      return
    }
    while !gate.leave() {
      for operation in gate.takeQueued() { perform(operation) }
    }
  }

  @inlinable
  func perform(_ operation: Operation) {
    switch operation {
    case .next(let value):
      guard !disposed.load(ordering: .relaxed), let downstream else { return }
      downstream.onNext(value)
    case .end(let end):
      guard !disposed.load(ordering: .relaxed), let downstream else { return }
      self.downstream = nil
      downstream.onEnd(end)
    case .letGo:
      downstream = nil
    }
  }
}

/// What the holders of such an observer share: when the last of them goes, nothing can be sent any
/// more, and the subscriber is let go of.
@usableFromInline
final class GatedObserverHandle<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let gated: GatedObserver<Value, Failure>

  @inlinable
  init(_ gated: GatedObserver<Value, Failure>) {
    self.gated = gated
  }

  deinit {
    gated.dispose()
  }
}
