public import Synchronization

/// A slot in a subject's list of observers; disposing it ends its subscription.
///
/// It does not know the value type, and removes itself through a closure: disposal is called
/// through a protocol, where code for a generic type is not specialized and was four times as slow.
@usableFromInline
class SubjectSlot: Disposable, @unchecked Sendable {
  // @unchecked Sendable because it has a subclass; every field is constant, atomic, or the index.

  /// The subscription, which holds the slot, and is held by closures of the observer; the cycle is
  /// broken when the core is released.
  @usableFromInline final let subscription: CompositeDisposable
  /// Removes the slot from the list; holds the core of the subject.
  @usableFromInline final let remove: @Sendable (SubjectSlot) -> Void
  /// Its place in the list; `nil` if it is in none.
  ///
  /// It has 32 bits and precedes ``live``, so that a slot with its observer takes 80 bytes, and an
  /// event reads adjacent fields. With 96 bytes, an event to 1,000 observers took 1.4 times as long.
  // nonisolated(unsafe), and without exclusivity checks, because only the owner of the core's gate
  // uses it.
  @exclusivity(unchecked)
  @usableFromInline
  final nonisolated(unsafe) var index: Int32?
  @usableFromInline final let live = Atomic(true)

  @inlinable
  init(_ subscription: CompositeDisposable, remove: @escaping @Sendable (SubjectSlot) -> Void) {
    self.subscription = subscription
    self.remove = remove
  }

  @inlinable final var isLive: Bool { live.load(ordering: .relaxed) }

  @inlinable final var isDisposed: Bool { !live.load(ordering: .acquiring) }

  /// Stops delivery.
  ///
  /// Not an exchange, which costs as much as the gate: an observer that is disposed while the end
  /// is being delivered may or may not get it, and a slot may be removed from the list twice.
  ///
  /// - Returns: Whether it was live.
  @inlinable
  final func stop() -> Bool {
    guard live.load(ordering: .acquiring) else { return false }
    live.store(false, ordering: .releasing)
    return true
  }

  @inlinable
  final func dispose() {
    if stop() { remove(self) }
  }

  /// Leaves its subscription without an event, because the subject has been released.
  @inlinable
  final func leave() {
    subscription.sourceHasGone()
    subscription.remove(self)
  }
}

/// A slot with the closures of its observer.
@usableFromInline
final class ObserverSlot<Value: Sendable, Failure: Error>: SubjectSlot, @unchecked Sendable {
  // @unchecked Sendable because a subclass has to repeat the conformance of its superclass.
  @usableFromInline let onNext: @Sendable (Value) -> Void
  @usableFromInline let onEnd: @Sendable (End<Failure>) -> Void

  @inlinable
  init(
    _ observer: Observer<Value, Failure>, _ subscription: CompositeDisposable,
    remove: @escaping @Sendable (SubjectSlot) -> Void
  ) {
    onNext = observer.onNext
    onEnd = observer.onEnd
    super.init(subscription, remove: remove)
  }
}
