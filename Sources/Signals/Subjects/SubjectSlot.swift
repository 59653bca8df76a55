public import Synchronization

/// A place in a subject's list of observers; disposing it ends its subscription.
///
/// It knows no type of value, and leaves its place through a closure: disposal comes through a
/// protocol, and there code for a generic type is not specialized; it was four times as slow.
@usableFromInline
class SubjectSlot: Disposable, @unchecked Sendable {
  // @unchecked Sendable because it has a subclass; all here is constant, atomic, or the index.

  /// Holds the slot, and is held by what the observer captures; opened when the core goes.
  @usableFromInline final let subscription: CompositeDisposable
  /// Takes the slot off the list; holds the core of the subject.
  @usableFromInline final let remove: @Sendable (SubjectSlot) -> Void
  @usableFromInline final let live = Atomic(true)
  // nonisolated(unsafe) because only the owner of the core's gate touches it.
  @usableFromInline final nonisolated(unsafe) var index: Int?

  @inlinable
  init(_ subscription: CompositeDisposable, remove: @escaping @Sendable (SubjectSlot) -> Void) {
    self.subscription = subscription
    self.remove = remove
  }

  @inlinable final var isLive: Bool { live.load(ordering: .relaxed) }

  @inlinable final var isDisposed: Bool { !live.load(ordering: .acquiring) }

  /// Lets no further event through.
  ///
  /// Not an exchange, which costs as much as the gate: who disposes while the end is on its way may
  /// see it or not, and a slot may be taken off the list twice.
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

  /// Leaves its subscription without an event, because the subject has gone.
  @inlinable
  final func leave() {
    subscription.sourceHasGone()
    subscription.remove(self)
  }
}

/// A slot with the closures of its observer.
@usableFromInline
final class ObserverSlot<Value: Sendable, Failure: Error>: SubjectSlot, @unchecked Sendable {
  // @unchecked Sendable because a subclass has to say again what its superclass says.
  @usableFromInline let onNext: @Sendable (Value) -> Void
  @usableFromInline let onEnd: @Sendable (End<Failure>) -> Void

  @inlinable
  init(
    _ observer: Observer<Value, Failure>,
    _ subscription: CompositeDisposable,
    remove: @escaping @Sendable (SubjectSlot) -> Void
  ) {
    onNext = observer.onNext
    onEnd = observer.onEnd
    super.init(subscription, remove: remove)
  }
}
