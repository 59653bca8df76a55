internal import Dispatch
public import Synchronization

extension OwnershipGate {
  /// Waits, before a value is sent, while more than 16,384 operations are queued.
  ///
  /// The caller continues once half of them have been performed, or when the owner offers the gate;
  /// then ``queue(_:)`` makes it the owner. It does not wait within a callback of the same gate,
  /// nor if that would be a deadlock: if the owner waits, directly or not, for a gate that the
  /// caller owns.
  ///
  /// - Parameter holder: The object with this gate.
  @inline(__always)
  @inlinable
  borrowing func waitForRoom(in holder: some GateHolder) {
    if pendingCount > GateLimits.queued { waitWhileFull(holder) }
  }

  /// Yields to other threads, such as the owner, if more than 16,384 operations are queued after
  /// one that is not a value.
  ///
  /// A thread that subscribes does not wait. But threads that subscribe without a pause would leave
  /// the owner too little time to perform what they queue.
  @inline(__always)
  @inlinable
  borrowing func giveWayIfFull() {
    if pendingCount > GateLimits.queued, !isOwnedByCurrentThread { CurrentThread.yield() }
  }

  /// The number of operations that have been queued and not performed, as other threads see it: up
  /// to 63 more than there are.
  @inline(__always)
  @inlinable
  var pendingCount: Int {
    queuedCount.load(ordering: .relaxed)
  }

  @usableFromInline
  borrowing func waitWhileFull(_ holder: some GateHolder) {
    let thread = CurrentThread.id
    while isFull, owner.load(ordering: .relaxed) != thread {
      guard let waiter = WaitingRoom.enter(holder, thread) else { return }
      waiterCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
      // Checked again: the owner checks for waiting threads after it has made room or has left.
      if isFull || !WaitingRoom.leave(waiter) { waiter.wait() }
      waiterCount.wrappingSubtract(1, ordering: .relaxed)
    }
  }

  /// Whether the gate has an owner and its queue is full.
  var isFull: Bool {
    let seen = state.load(ordering: .sequentiallyConsistent)
    if seen == Self.idle || seen == Self.closed || Self.isOffered(seen) { return false }
    return pendingCount > GateLimits.queued
  }

  /// Wakes all waiting threads.
  @usableFromInline
  borrowing func admitAll(to holder: some GateHolder) {
    WaitingRoom.admit(.max, to: holder)
  }

  /// Wakes one waiting thread, which then queues an operation.
  ///
  /// - Returns: Whether a thread was waiting.
  borrowing func admitOne(to holder: some GateHolder) -> Bool {
    WaitingRoom.admit(1, to: holder)
  }
}

/// The waiting threads of all gates, which are few and rare.
private enum WaitingRoom {
  private static let waiters = Lock<[Waiter]>([])

  /// Registers a thread that waits for a gate.
  ///
  /// - Returns: The registration; `nil` if the thread would wait for itself.
  static func enter(_ holder: any GateHolder, _ thread: UInt) -> Waiter? {
    let waiter = Waiter(holder, thread)
    let mayWait = waiters.withLock { waiters in
      var owner = holder.gateOwner
      // At most as many steps as there are threads: the owners may change meanwhile.
      for _ in waiters.indices {
        if owner == thread { return false }
        guard let other = waiters.first(where: { $0.thread == owner }) else { break }
        owner = other.holder.gateOwner
      }
      if owner == thread { return false }
      waiters.append(waiter)
      return true
    }
    return mayWait ? waiter : nil
  }

  /// Removes the registration of a thread.
  ///
  /// - Returns: Whether the thread had not been woken.
  static func leave(_ waiter: Waiter) -> Bool {
    waiters.withLock { waiters in
      guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
      waiters.remove(at: index)
      return true
    }
  }

  /// Wakes threads that wait for a gate, in the order of their arrival.
  ///
  /// - Returns: Whether a thread was waiting.
  @discardableResult
  static func admit(_ limit: Int, to holder: any GateHolder) -> Bool {
    let admitted = waiters.withLock { waiters in
      let admitted = Array(waiters.filter { $0.holder === holder }.prefix(limit))
      waiters.removeAll { waiter in admitted.contains { $0 === waiter } }
      return admitted
    }
    for waiter in admitted { waiter.wake() }
    return !admitted.isEmpty
  }
}

/// A thread that is waiting for a gate.
private final class Waiter: Sendable {
  let holder: any GateHolder
  let thread: UInt
  private let admission = DispatchSemaphore(value: 0)

  init(_ holder: any GateHolder, _ thread: UInt) {
    self.holder = holder
    self.thread = thread
  }

  func wait() {
    admission.wait()
  }

  func wake() {
    admission.signal()
  }
}
