public import Synchronization

/// Disposables that are disposed together; each subscription is one.
///
/// A member that is added after disposal is disposed immediately. One that is added several times is
/// a member once: a single removal removes it. The order of disposal is not specified.
public final class CompositeDisposable: Disposable {
  /// Written only inside the lock.
  @usableFromInline let disposed = Atomic(false)
  /// Whether the subscribed subject has been released without an end.
  @usableFromInline let hasLostSource = Atomic(false)
  @usableFromInline let members = Lock(Members())

  /// Most subscriptions hold one or two disposables, so the first two need no allocation.
  @usableFromInline
  struct Members: Sendable {
    @usableFromInline var first: (any Disposable)?
    @usableFromInline var second: (any Disposable)?
    @usableFromInline var others: [ObjectIdentifier: any Disposable]?
    /// The steps of this subscription, see ``makeStep(_:)``.
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

    /// Removes and returns a member, for the caller to release: its deinit may run other code.
    ///
    /// A member that was added several times may be in several places.
    @inlinable
    mutating func remove(_ member: any Disposable) -> (any Disposable)? {
      var removed: (any Disposable)?
      if first === member { removed = first.take() }
      if second === member { removed = second.take() }
      return others?.removeValue(forKey: ObjectIdentifier(member)) ?? removed
    }
  }

  /// Makes an empty disposable.
  @inlinable
  public init() {}

  /// Whether ``dispose()`` was called.
  @inlinable
  public var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  /// Adds a disposable, or disposes it if this one is already disposed.
  ///
  /// - Parameter member: The disposable to dispose together with the others.
  @inlinable
  public func add(_ member: any Disposable) {
    let isTaken = members.withLock { members in
      if disposed.load(ordering: .relaxed) { return false }
      members.insert(member)
      return true
    }
    if !isTaken { member.dispose() }
  }

  /// Removes a member without disposing it; has no effect on other disposables.
  ///
  /// - Parameter member: The member to remove.
  @inlinable
  public func remove(_ member: any Disposable) {
    let removed: (any Disposable)? = members.withLock { $0.remove(member) }
    _ = removed
  }

  /// Records that no event can follow, not even an end.
  @inlinable
  func sourceHasGone() {
    hasLostSource.store(true, ordering: .releasing)
  }

  /// Disposes all members, outside the lock, and members that are added later.
  @inlinable
  public func dispose() {
    guard !disposed.load(ordering: .relaxed) else { return }
    var taken: Members? = members.withLock { members in
      guard !disposed.load(ordering: .relaxed) else { return nil }
      disposed.store(true, ordering: .releasing)
      var taken = Members()
      swap(&members, &taken)
      return taken
    }
    // Moved out of the optional, which stays where it is: a copy would cost a retain and a release
    // each on a path that every subscription takes.
    taken?.first.take()?.dispose()
    taken?.second.take()?.dispose()
    taken?.others.take()?.values.forEach { $0.dispose() }
  }
}
