public import Synchronization

/// The object behind the observer that `Signal { }` passes to its closure.
///
/// Any thread may use it at any time: events are put in one order, and events after the end or
/// after disposal are dropped.
@usableFromInline
final class GatedObserver<Value: Sendable, Failure: Error>: Disposable, GateHolder {
  @usableFromInline let gate = OwnershipGate<Event<Value, Failure>>()
  /// Whether delivery is over, because of disposal or the end.
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

  @usableFromInline var gateOwner: UInt { gate.currentOwner }

  @inlinable
  func next(_ value: Value) {
    guard gate.enter() else { return leaveToOwner(value) }
    deliver(value)
    leave()
  }

  @inline(never)
  @inlinable
  func leaveToOwner(_ value: Value) {
    gate.waitForRoom(in: self)
    if gate.queue(.next(value)) { drain() }
  }

  /// Ends permanently.
  ///
  /// An idle gate is closed at once, which takes one atomic operation less than entering it first:
  /// events that are sent from now on are dropped anyway.
  @inlinable
  func end(_ end: End<Failure>) {
    guard gate.closeIfIdle() else { return leaveToOwner(end) }
    deliver(end)
  }

  @inline(never)
  @inlinable
  func leaveToOwner(_ end: End<Failure>) {
    if gate.queue(end.event()) { drain() }
  }

  /// Drops events from now on, and releases the observer as soon as no event is being delivered.
  ///
  /// Either the gate can be closed here, or its owner sees `disposed` after it has left: here the
  /// flag is written before the gate is checked, there it is read after the gate was left, and all
  /// four operations are sequentially consistent.
  @inlinable
  func dispose() {
    guard !disposed.load(ordering: .relaxed) else { return }
    guard !disposed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    letGo()
  }

  /// Leaves the gate, after performing what others have queued meanwhile.
  @inlinable
  func leave() {
    if !gate.leave() { return drain() }
    if disposed.load(ordering: .sequentiallyConsistent) { letGo() }
  }

  /// Delivers what others have queued, and leaves the gate or passes it to one of them.
  @inlinable
  func drain() {
    let hasLeft = gate.drain(for: self) { event in
      switch event {
      case .next(let value): deliver(value)
      case .completed: finish(.completed)
      case .failed(let error): finish(.failed(error))
      }
    }
    if hasLeft, disposed.load(ordering: .sequentiallyConsistent) { letGo() }
  }

  @inlinable
  func deliver(_ value: Value) {
    guard !disposed.load(ordering: .relaxed), let next = downstream?.onNext else { return }
    next(value)
  }

  /// Delivers the end; the caller owns the gate, or has closed it.
  @inlinable
  func deliver(_ end: End<Failure>) {
    let last = downstream.take()
    if disposed.load(ordering: .relaxed) { return }
    // From now on a disposal has nothing to do.
    disposed.store(true, ordering: .relaxed)
    last?.onEnd(end)
  }

  /// Ends permanently; the caller remains the owner of the gate.
  @inlinable
  func finish(_ end: End<Failure>) {
    deliver(end)
    gate.close()
    if gate.waiterCount.load(ordering: .sequentiallyConsistent) > 0 { gate.admitAll(to: self) }
  }

  @inlinable
  func letGo() {
    if gate.closeIfIdle() { downstream = nil }
  }
}

/// An object that all copies of such an observer share: when the last copy is released, no event
/// can follow, and the receiving observer is released.
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
