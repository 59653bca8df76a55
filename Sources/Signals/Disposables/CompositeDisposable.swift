public import Locks
public import Synchronization

/// Disposables that are disposed together; each subscription is one.
///
/// A member that is added after disposal is disposed at once. The order of disposal is no contract.
public final class CompositeDisposable: Disposable {
  /// Written inside the lock only.
  @usableFromInline let disposed = Atomic(false)
  /// Whether the subject that was subscribed has gone without an end.
  @usableFromInline let hasLostSource = Atomic(false)
  @usableFromInline let members = Lock(Members())

  /// Most subscriptions hold one or two disposables, so the first two need no allocation.
  @usableFromInline
  struct Members: Sendable {
    @usableFromInline var first: (any Disposable)?
    @usableFromInline var second: (any Disposable)?
    @usableFromInline var others: [ObjectIdentifier: any Disposable]?
    /// Steps of this subscription, see ``makeStep(_:)``.
    @usableFromInline var tails: TailQueue?

    @inlinable
    init() {}

    @inlinable
    mutating func insert(_ member: any Disposable) {
      if first == nil {
        first = member
      } else if second == nil {
        second = member
      } else {
        if others == nil { others = [:] }
        others?[ObjectIdentifier(member)] = member
      }
    }

    /// Takes a member out; its deinit may run anybody's code, so the caller holds it longer.
    @inlinable
    mutating func remove(_ member: any Disposable) -> (any Disposable)? {
      if first === member { return first.take() }
      if second === member { return second.take() }
      return others?.removeValue(forKey: ObjectIdentifier(member))
    }
  }

  /// Makes an empty one.
  @inlinable
  public init() {}

  /// Whether ``dispose()`` was called.
  @inlinable
  public var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  /// Takes a disposable in, or disposes it when this one is disposed already.
  ///
  /// - Parameter member: What is to be disposed with the others.
  @inlinable
  public func add(_ member: any Disposable) {
    let isTaken = members.withLock { members in
      if disposed.load(ordering: .relaxed) { return false }
      members.insert(member)
      return true
    }
    if !isTaken { member.dispose() }
  }

  /// Lets go of a member without disposing it; does nothing when it is none.
  ///
  /// - Parameter member: What was added before.
  @inlinable
  public func remove(_ member: any Disposable) {
    let removed: (any Disposable)? = members.withLock { $0.remove(member) }
    _ = removed
  }

  /// Takes note that nothing will come any more, not even an end.
  @inlinable
  func sourceHasGone() {
    hasLostSource.store(true, ordering: .releasing)
  }

  /// Disposes all members, outside the lock, and those that come later.
  @inlinable
  public func dispose() {
    guard !disposed.load(ordering: .relaxed) else { return }
    let taken: Members? = members.withLock { members in
      guard !disposed.load(ordering: .relaxed) else { return nil }
      disposed.store(true, ordering: .releasing)
      var taken = Members()
      swap(&members, &taken)
      return taken
    }
    guard var taken else { return }
    // Taken out, not copied: a retain and a release each, on a path that every subscription takes.
    taken.first.take()?.dispose()
    taken.second.take()?.dispose()
    taken.others.take()?.values.forEach { $0.dispose() }
  }
}
