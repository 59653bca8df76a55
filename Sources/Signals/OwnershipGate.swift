public import Locks
public import Synchronization

/// What puts the operations of several threads in one order, without a lock where there is one.
///
/// A thread enters by compare-and-swap, performs its operation, and leaves. Whoever cannot enter,
/// because another thread is inside or because it is called from within an operation, queues its
/// operation and goes on; the thread inside performs what was queued before it leaves. So no code
/// of a user runs under a lock, operations never overlap, and all observers see one order.
///
/// The owner uses it like this:
///
/// ```swift
/// if gate.enter() { perform(operation) } else if !gate.queue(operation) { return }
/// while !gate.leave() { for operation in gate.takeQueued() { perform(operation) } }
/// ```
@usableFromInline
struct OwnershipGate<Operation: Sendable>: ~Copyable, Sendable {
  @usableFromInline static var idle: UInt8 { 0 }
  @usableFromInline static var owned: UInt8 { 1 }
  @usableFromInline static var ownedWithQueue: UInt8 { 2 }

  @usableFromInline let state = Atomic<UInt8>(0)
  @usableFromInline let queued = Lock<[Operation]>([])

  @inlinable
  init() {}

  /// Makes the caller the owner if there is none.
  @inlinable
  borrowing func enter() -> Bool {
    state.compareExchange(expected: Self.idle, desired: Self.owned, ordering: .acquiring).exchanged
  }

  /// Gives the ownership back, unless something was queued: then the caller stays the owner.
  @inlinable
  borrowing func leave() -> Bool {
    state.compareExchange(expected: Self.owned, desired: Self.idle, ordering: .releasing).exchanged
  }

  /// Leaves an operation for the owner, or makes the caller the owner if the last one has left.
  ///
  /// - Returns: Whether the caller is the owner now and has to take what is queued.
  @inlinable
  borrowing func queue(_ operation: Operation) -> Bool {
    queued.withLock { $0.append(operation) }
    while true {
      let (entered, seen) = state.compareExchange(
        expected: Self.idle,
        desired: Self.ownedWithQueue,
        ordering: .acquiring
      )
      if entered { return true }
      if seen == Self.ownedWithQueue { return false }
      let (told, now) = state.compareExchange(
        expected: Self.owned,
        desired: Self.ownedWithQueue,
        ordering: .releasing
      )
      if told || now == Self.ownedWithQueue { return false }
    }
  }

  /// Takes what was queued, in its order; called by the owner after ``leave()`` was refused.
  @inlinable
  borrowing func takeQueued() -> [Operation] {
    state.store(Self.owned, ordering: .relaxed)
    return queued.withLock { queued in
      defer { queued = [] }
      return queued
    }
  }
}
