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
/// if gate.enter() {
///   perform(operation)
///   if !gate.leave() { gate.drain(for: self) { perform($0) } }
/// } else {
///   gate.waitForRoom(in: self)
///   if gate.queue(operation) { gate.drain(for: self) { perform($0) } }
/// }
/// ```
///
/// A thread that drains for others does so for a limited time, and then offers the gate to them; see
/// ``drain(for:_:)``. A thread that sends faster than the owner drains waits; see
/// ``waitForRoom(in:)``.
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
  /// The owner offers the gate to others.
  ///
  /// There is something to perform, and the next thread that queues an operation becomes the owner. An
  /// address may have the lowest bit of this, and says the same.
  @inline(__always) @inlinable static var offered: UInt { 3 }

  /// Nothing is queued when the gate goes: the owner, who keeps the gate alive, performs it first.
  @usableFromInline let state = Atomic<UInt>(0)
  /// The thread inside; 0 when there is none, or it has not said so yet.
  ///
  /// A thread that reads its own number is the owner for certain.
  @usableFromInline let owner = Atomic<UInt>(0)
  /// How many operations were queued and not yet taken by the owner.
  @usableFromInline let queuedCount = Atomic(0)
  /// The operations that the owner took and has not performed, oldest first; only it touches this.
  @usableFromInline let taken = Atomic<UInt>(0)
  /// How many those are; anybody may read it.
  @usableFromInline let takenCount = Atomic(0)
  /// How many threads wait until fewer operations are queued.
  @usableFromInline let waiterCount = Atomic(0)

  @inlinable
  init() {}

  /// Makes the caller the owner if there is none.
  @inline(__always)
  @inlinable
  borrowing func enter() -> Bool {
    guard
      state.compareExchange(expected: Self.idle, desired: Self.owned, ordering: .acquiring)
        .exchanged
    else { return false }
    owner.store(CurrentThread.id, ordering: .relaxed)
    return true
  }

  /// Gives the ownership back, unless something was queued: then the caller stays the owner.
  ///
  /// In one order with whatever else is sequentially consistent, see `GatedObserver.dispose`.
  @inline(__always)
  @inlinable
  borrowing func leave() -> Bool {
    owner.store(0, ordering: .relaxed)
    let hasLeft = state.compareExchange(
      expected: Self.owned,
      desired: Self.idle,
      ordering: .sequentiallyConsistent
    ).exchanged
    if !hasLeft { owner.store(CurrentThread.id, ordering: .relaxed) }
    return hasLeft
  }

  /// Whether the calling thread is inside: it calls from within an operation.
  @inline(__always)
  @inlinable
  var isOwnedByCurrentThread: Bool {
    owner.load(ordering: .relaxed) == CurrentThread.id
  }

  /// The thread inside, as ``owner`` says.
  @inlinable var currentOwner: UInt { owner.load(ordering: .relaxed) }

  /// Whether nobody is inside at this moment, and nothing is queued.
  @inline(__always)
  @inlinable
  var isIdle: Bool { state.load(ordering: .acquiring) == Self.idle }

  /// Lets nobody in any more, and drops what is queued; called by the owner in the place of
  /// ``leave()``.
  @inline(__always)
  @inlinable
  borrowing func close() {
    owner.store(0, ordering: .relaxed)
    let last = state.exchange(Self.closed, ordering: .sequentiallyConsistent)
    if last > Self.offered || taken.load(ordering: .relaxed) != 0 { drop(last) }
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

  /// Leaves an operation for the owner, or makes the caller the owner if the last one has left, or
  /// offers the gate.
  ///
  /// - Returns: Whether the caller is the owner now and has to drain the gate.
  @inlinable
  borrowing func queue(_ operation: Operation) -> Bool {
    let thread = CurrentThread.id
    let isOwn = owner.load(ordering: .relaxed) == thread
    let queued = Unmanaged.passRetained(QueuedOperation(operation, isOwn: isOwn))
    let address = UInt(bitPattern: queued.toOpaque())
    // Before it can be taken, which counts it off.
    queuedCount.wrappingAdd(1, ordering: .relaxed)
    var seen = state.load(ordering: .relaxed)
    while seen != Self.closed {
      queued._withUnsafeGuaranteedRef { $0.next = seen > Self.offered ? seen & ~1 : 0 }
      let (exchanged, now) = state.compareExchange(
        expected: seen,
        desired: address,
        ordering: .acquiringAndReleasing
      )
      if exchanged {
        guard seen == Self.idle || Self.isOffered(seen) else { return false }
        owner.store(thread, ordering: .relaxed)
        return true
      }
      seen = now
    }
    queuedCount.wrappingSubtract(1, ordering: .relaxed)
    queued.release()
    return false
  }

  /// Takes the operation that has waited longest; called by the owner.
  ///
  /// - Returns: The operation; `nil` when none waits at this moment.
  @inlinable
  borrowing func takeNext() -> QueuedOperation<Operation>? {
    var address = taken.load(ordering: .relaxed)
    if address == 0 {
      guard state.load(ordering: .relaxed) > Self.offered else { return nil }
      address = takeAll()
    }
    guard let next = QueuedOperation<Operation>.take(at: address) else { return nil }
    taken.store(next.next, ordering: .relaxed)
    takenCount.store(takenCount.load(ordering: .relaxed) - 1, ordering: .relaxed)
    return next
  }

  /// Takes all that was queued, and turns its order around.
  ///
  /// - Returns: Where the oldest operation is.
  @inlinable
  borrowing func takeAll() -> UInt {
    var address = state.exchange(Self.owned, ordering: .acquiringAndReleasing)
    var oldest: UInt = 0
    var count = 0
    while let pointer = UnsafeRawPointer(bitPattern: address) {
      Unmanaged<QueuedOperation<Operation>>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
        (address, $0.next, oldest) = ($0.next, oldest, address)
      }
      count += 1
    }
    takenCount.store(count, ordering: .relaxed)
    queuedCount.wrappingSubtract(count, ordering: .relaxed)
    return oldest
  }

  /// Releases what was queued and will not be performed, one operation after the other: none of
  /// them holds the next one.
  @usableFromInline
  borrowing func drop(_ last: UInt) {
    for first in [taken.exchange(0, ordering: .relaxed), last > Self.offered ? last & ~1 : 0] {
      var address = first
      while let dropped = QueuedOperation<Operation>.take(at: address) { address = dropped.next }
    }
    takenCount.store(0, ordering: .relaxed)
  }

  @inline(__always)
  @inlinable
  static func isOffered(_ state: UInt) -> Bool {
    state > closed && state & 1 == 1
  }
}

/// An operation that waits for the owner of a gate.
@usableFromInline
final class QueuedOperation<Operation: Sendable>: Sendable {
  @usableFromInline let operation: Operation
  /// Whether the owner queued it, from within an operation: then it is not performed for others.
  @usableFromInline let isOwn: Bool
  /// The address of the one that was queued before this one; once the owner has taken them, of the
  /// one after it. 0 if there is none.
  // nonisolated(unsafe) because it is set before the gate publishes it, and then by the owner only;
  // without exclusivity checks for the same reason.
  @exclusivity(unchecked)
  @usableFromInline nonisolated(unsafe) var next: UInt = 0

  @inlinable
  init(_ operation: Operation, isOwn: Bool) {
    self.operation = operation
    self.isOwn = isOwn
  }

  /// Takes over the reference that an address stands for.
  @inlinable
  static func take(at address: UInt) -> QueuedOperation? {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged<QueuedOperation>.fromOpaque(pointer).takeRetainedValue()
  }
}
