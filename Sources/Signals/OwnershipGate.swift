public import Synchronization

/// What puts the operations of several threads in one order, without a lock.
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
///
/// Entering and leaving are always inlined. A disposal comes through a protocol, in code that is
/// not specialized; a call would look the type up there, which costs four times as much as the gate.
@usableFromInline
struct OwnershipGate<Operation: Sendable>: ~Copyable, Sendable {
  /// What the state of a gate is, unless it is the address of the operation that was queued last;
  /// then it is owned, too.
  @inline(__always) @inlinable static var idle: UInt { 0 }
  @inline(__always) @inlinable static var owned: UInt { 1 }
  @inline(__always) @inlinable static var closed: UInt { 2 }

  /// Nothing is queued when the gate goes: the owner, who keeps the gate alive, performs it first.
  @usableFromInline let state = Atomic<UInt>(0)

  @inlinable
  init() {}

  /// Makes the caller the owner if there is none.
  @inline(__always)
  @inlinable
  borrowing func enter() -> Bool {
    state.compareExchange(expected: Self.idle, desired: Self.owned, ordering: .acquiring).exchanged
  }

  /// Gives the ownership back, unless something was queued: then the caller stays the owner.
  ///
  /// In one order with whatever else is sequentially consistent, see `GatedObserver.dispose`.
  @inline(__always)
  @inlinable
  borrowing func leave() -> Bool {
    state.compareExchange(
      expected: Self.owned,
      desired: Self.idle,
      ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Lets nobody in any more, and drops what is queued; called by the owner in the place of
  /// ``leave()``.
  @inline(__always)
  @inlinable
  borrowing func close() {
    let last = state.exchange(Self.closed, ordering: .acquiringAndReleasing)
    if last > Self.closed { Self.drop(last) }
  }

  /// Makes the caller the last owner, unless there is one.
  ///
  /// - Returns: Whether it did.
  @inline(__always)
  @inlinable
  borrowing func closeIfIdle() -> Bool {
    state.compareExchange(
      expected: Self.idle,
      desired: Self.closed,
      ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Leaves an operation for the owner, or makes the caller the owner if the last one has left.
  ///
  /// - Returns: Whether the caller is the owner now and has to take what is queued.
  @inlinable
  borrowing func queue(_ operation: Operation) -> Bool {
    let queued = Unmanaged.passRetained(QueuedOperation(operation))
    let address = UInt(bitPattern: queued.toOpaque())
    var seen = state.load(ordering: .relaxed)
    while seen != Self.closed {
      queued._withUnsafeGuaranteedRef { $0.previous = seen }
      let (exchanged, now) = state.compareExchange(
        expected: seen,
        desired: address,
        ordering: .acquiringAndReleasing
      )
      if exchanged { return seen == Self.idle }
      seen = now
    }
    queued.release()
    return false
  }

  /// Takes what was queued, in its order; called by the owner after ``leave()`` was refused.
  @inlinable
  borrowing func takeQueued() -> [Operation] {
    var operations: [Operation] = []
    Self.unlink(state.exchange(Self.owned, ordering: .acquiringAndReleasing)) {
      operations.append($0)
    }
    operations.reverse()
    return operations
  }

  @usableFromInline
  static func drop(_ last: UInt) {
    unlink(last) { _ in }
  }

  /// Takes the queue that ends with an operation apart, last operation first.
  @inlinable
  static func unlink(_ last: UInt, _ receive: (Operation) -> Void) {
    var address = last
    while let pointer = UnsafeRawPointer(bitPattern: address), address > closed {
      let queued = Unmanaged<QueuedOperation<Operation>>.fromOpaque(pointer).takeRetainedValue()
      receive(queued.operation)
      address = queued.previous
    }
  }
}

/// An operation that waits for the owner of a gate.
@usableFromInline
final class QueuedOperation<Operation: Sendable>: Sendable {
  @usableFromInline let operation: Operation
  /// The state of the gate before this one was queued: the address of the one before it, if any.
  // nonisolated(unsafe) because it is set before the gate publishes it, and not changed after.
  @usableFromInline nonisolated(unsafe) var previous: UInt = 0

  @inlinable
  init(_ operation: Operation) {
    self.operation = operation
  }
}
