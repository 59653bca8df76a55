public import Locks
public import Synchronization

/// Disposables that are disposed together; each subscription is one.
///
/// A member that is added after disposal is disposed at once. The order of disposal is no contract.
public final class CompositeDisposable: Disposable {
  @usableFromInline let disposed = Atomic(false)
  @usableFromInline let members = Lock(Members())

  /// Most subscriptions hold one or two disposables, so the first two need no allocation.
  @usableFromInline
  struct Members: Sendable {
    @usableFromInline var first: (any Disposable)?
    @usableFromInline var second: (any Disposable)?
    @usableFromInline var others: [ObjectIdentifier: any Disposable] = [:]

    @inlinable
    init() {}
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
      // Read inside the lock: `dispose()` raises the flag first and takes the members afterwards.
      if disposed.load(ordering: .acquiring) { return false }
      if members.first == nil {
        members.first = member
      } else if members.second == nil {
        members.second = member
      } else {
        members.others[ObjectIdentifier(member)] = member
      }
      return true
    }
    if !isTaken { member.dispose() }
  }

  /// Lets go of a member without disposing it; does nothing when it is none.
  ///
  /// - Parameter member: What was added before.
  public func remove(_ member: any Disposable) {
    // The member is let go of after the lock: its deinit may run anybody's code.
    let removed: (any Disposable)? = members.withLock { members in
      if members.first === member {
        members.first = nil
        return member
      }
      if members.second === member {
        members.second = nil
        return member
      }
      return members.others.removeValue(forKey: ObjectIdentifier(member))
    }
    _ = removed
  }

  /// Disposes all members, outside the lock, and those that come later.
  @inlinable
  public func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let members = members.withLock { members in
      defer { members = Members() }
      return members
    }
    members.first?.dispose()
    members.second?.dispose()
    for member in members.others.values { member.dispose() }
  }
}
