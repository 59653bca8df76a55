public import Synchronization

/// A gate that puts the operations of several threads in one order, without a lock.
///
/// A thread enters by compare-and-swap, performs its operation, and leaves. A thread that cannot
/// enter, because another thread owns the gate or because it is called from within an operation,
/// queues its operation and continues; the owner performs queued operations before it leaves. So no
/// user code runs under a lock, operations never overlap, and all observers see one order.
///
/// The object with the gate uses it like this:
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
/// A thread drains for others for a limited time, and then offers them the gate; see
/// ``drain(for:_:)``. A thread that sends faster than the owner drains waits; see
/// ``waitForRoom(in:)``.
///
/// Entering and leaving are always inlined: a disposal is called through a protocol, in code that
/// is not specialized, where a call would look up the generic type at four times the cost of the
/// gate.
@usableFromInline
struct OwnershipGate<Operation: Sendable>: ~Copyable, Sendable {
  /// The state of a gate without an owner.
  ///
  /// A state other than these four is the address of the operation that was queued last, and means
  /// that the gate is owned.
  @inline(__always) @inlinable static var idle: UInt { 0 }
  @inline(__always) @inlinable static var owned: UInt { 1 }
  @inline(__always) @inlinable static var closed: UInt { 2 }
  /// The owner offers the gate to other threads.
  ///
  /// Operations are waiting, and the next thread that queues one becomes the owner. An address with
  /// the lowest bit set means the same.
  @inline(__always) @inlinable static var offered: UInt { 3 }

  /// The queue is empty when the gate is destroyed: the owner, which keeps the gate alive, empties
  /// it first.
  @usableFromInline let state = Atomic<UInt>(0)
  /// The number of operations that were queued and not yet counted as performed.
  @usableFromInline let queuedCount = Atomic(0)
  /// The number of threads that wait until fewer operations are queued.
  @usableFromInline let waiterCount = Atomic(0)
  /// The address of the oldest operation that an owner passed on with the gate; 0 if there is none.
  ///
  /// It had taken that operation and not performed it. Only the owner uses this.
  @usableFromInline let passedOn = Atomic<UInt>(0)
  /// Puts the owner on another cache line than the state: a store to the line of an atomic exchange
  /// that has just been made waits for it, which made each event 6 % slower.
  ///
  /// For the same reason an owner that drains neither reads nor stores anything on the first line
  /// for each operation: other threads queue operations there, and two that send at once were 1.4
  /// times as slow.
  @usableFromInline let padding: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
  /// The thread that owns the gate; 0 when there is none, or when it has not been stored yet.
  ///
  /// A thread that reads its own number is certainly the owner.
  @usableFromInline let owner = Atomic<UInt>(0)

  @inlinable
  init() {}

  /// Enters the gate if it is idle; the caller then owns it.
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

  /// Releases ownership, unless operations were queued: then the caller remains the owner.
  ///
  /// Sequentially consistent; see `GatedObserver.dispose`.
  @inline(__always)
  @inlinable
  borrowing func leave() -> Bool {
    owner.store(0, ordering: .relaxed)
    let hasLeft = state.compareExchange(
      expected: Self.owned, desired: Self.idle, ordering: .sequentiallyConsistent
    ).exchanged
    return hasLeft || remain()
  }

  /// Records the caller as the owner again.
  ///
  /// Out of line, like everything that only happens when threads meet: the less code is inlined
  /// here, the more of the calling code is, which saves retains and releases.
  ///
  /// - Returns: `false`, the result of ``leave()``.
  @inline(never)
  @inlinable
  borrowing func remain() -> Bool {
    owner.store(CurrentThread.id, ordering: .relaxed)
    return false
  }

  /// Whether the calling thread owns the gate: it calls from within an operation.
  @inline(__always)
  @inlinable
  var isOwnedByCurrentThread: Bool {
    owner.load(ordering: .relaxed) == CurrentThread.id
  }

  /// The thread that owns the gate, see ``owner``.
  @inlinable var currentOwner: UInt { owner.load(ordering: .relaxed) }

  /// Whether the gate has no owner at this moment, and so nothing is queued.
  @inline(__always)
  @inlinable
  var isIdle: Bool { state.load(ordering: .acquiring) == Self.idle }

  /// Closes the gate permanently, and drops queued operations; the owner calls it instead of
  /// ``leave()``.
  @inline(__always)
  @inlinable
  borrowing func close() {
    owner.store(0, ordering: .relaxed)
    let last = state.exchange(Self.closed, ordering: .sequentiallyConsistent)
    if last > Self.offered { drop(last & ~1) }
  }

  /// Closes the gate permanently if it is idle.
  ///
  /// - Returns: Whether it was idle.
  @inline(__always)
  @inlinable
  borrowing func closeIfIdle() -> Bool {
    state.compareExchange(
      expected: Self.idle, desired: Self.closed, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Queues an operation for the owner; the caller becomes the owner if the previous one has left
  /// or offers the gate.
  ///
  /// - Returns: Whether the caller is the owner now and has to drain the gate.
  @inlinable
  borrowing func queue(_ operation: Operation) -> Bool {
    let thread = CurrentThread.id
    let isOwn = owner.load(ordering: .relaxed) == thread
    let queued = Unmanaged.passRetained(QueuedOperation(operation, isOwn: isOwn))
    let address = UInt(bitPattern: queued.toOpaque())
    // Counted before it can be taken, which counts down.
    queuedCount.wrappingAdd(1, ordering: .relaxed)
    var seen = state.load(ordering: .relaxed)
    while seen != Self.closed {
      queued._withUnsafeGuaranteedRef { $0.next = seen > Self.offered ? seen & ~1 : 0 }
      let (exchanged, now) = state.compareExchange(
        expected: seen, desired: address, ordering: .acquiringAndReleasing)
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

  /// Removes the oldest queued operation; called by the owner.
  ///
  /// - Parameter oldest: The address of the oldest operation that the owner has taken already; 0 if
  ///   there is none.
  /// - Returns: The operation; `nil` if the queue is empty at this moment.
  @inlinable
  borrowing func takeNext(_ oldest: inout UInt) -> QueuedOperation<Operation>? {
    if oldest == 0 {
      guard state.load(ordering: .relaxed) > Self.offered else { return nil }
      oldest = takeAll()
    }
    guard let next = QueuedOperation<Operation>.take(at: oldest) else { return nil }
    oldest = next.next
    return next
  }

  /// Takes all queued operations, and reverses their order.
  ///
  /// - Returns: The address of the oldest operation.
  @inlinable
  borrowing func takeAll() -> UInt {
    var address = state.exchange(Self.owned, ordering: .acquiringAndReleasing)
    var oldest: UInt = 0
    while let pointer = UnsafeRawPointer(bitPattern: address) {
      Unmanaged<QueuedOperation<Operation>>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
        (address, $0.next, oldest) = ($0.next, oldest, address)
      }
    }
    return oldest
  }

  /// Releases operations that will not be performed, one after the other: none of them holds the
  /// next one.
  @usableFromInline
  borrowing func drop(_ first: UInt) {
    var address = first
    while let dropped = QueuedOperation<Operation>.take(at: address) { address = dropped.next }
  }

  @inline(__always)
  @inlinable
  static func isOffered(_ state: UInt) -> Bool {
    state > closed && state & 1 == 1
  }
}
