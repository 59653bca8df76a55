internal import Dispatch
internal import Locks
public import Synchronization

extension OwnershipGate {
  /// Waits, before something is sent, while too much is queued: more than 16,384 operations.
  ///
  /// The caller goes on once half of them have been performed, or when the owner offers the gate; then
  /// ``queue(_:)`` makes it the owner. It does not wait within a callback of the same gate, nor where
  /// waiting would close a circle: where the owner itself waits for a gate that the caller is inside.
  ///
  /// - Parameter holder: What has this gate.
  @inline(__always)
  @inlinable
  borrowing func waitForRoom(in holder: some GateHolder) {
    if pendingCount > GateLimits.queued { waitWhileFull(holder) }
  }

  /// Lets other threads run, the owner among them, after something other than a value was queued
  /// and more than 16,384 operations are.
  ///
  /// Whoever subscribes does not wait. But threads that subscribe without a pause would leave the
  /// owner, which is one among them, too little time to perform what they queue.
  @inline(__always)
  @inlinable
  borrowing func giveWayIfFull() {
    if pendingCount > GateLimits.queued, !isOwnedByCurrentThread { CurrentThread.yield() }
  }

  /// How many operations have been queued and not performed, as far as can be seen from outside.
  @inline(__always)
  @inlinable
  var pendingCount: Int {
    queuedCount.load(ordering: .relaxed) &+ takenCount.load(ordering: .relaxed)
  }

  @usableFromInline
  borrowing func waitWhileFull(_ holder: some GateHolder) {
    let thread = CurrentThread.id
    while isFull, owner.load(ordering: .relaxed) != thread {
      guard let waiter = WaitingRoom.enter(holder, thread) else { return }
      waiterCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
      // Looked at again: the owner looks for those who wait after it has made room, or has left.
      if isFull || !WaitingRoom.leave(waiter) { waiter.wait() }
      waiterCount.wrappingSubtract(1, ordering: .relaxed)
    }
  }

  /// Whether there is an owner that has too much to perform.
  var isFull: Bool {
    let seen = state.load(ordering: .sequentiallyConsistent)
    if seen == Self.idle || seen == Self.closed || Self.isOffered(seen) { return false }
    return pendingCount > GateLimits.queued
  }

  /// Wakes those who wait when half of what they wait for has been performed; called by the owner.
  @usableFromInline
  borrowing func admitIfThereIsRoom(to holder: some GateHolder) {
    if pendingCount <= GateLimits.queued / 2 { admitAll(to: holder) }
  }

  /// Wakes all that wait.
  @usableFromInline
  borrowing func admitAll(to holder: some GateHolder) {
    WaitingRoom.admit(.max, to: holder)
  }

  /// Wakes one that waits, which then queues an operation.
  ///
  /// - Returns: Whether there was one.
  borrowing func admitOne(to holder: some GateHolder) -> Bool {
    WaitingRoom.admit(1, to: holder)
  }
}

/// The threads that wait, of all gates: few, and seldom.
private enum WaitingRoom {
  private static let waiters = Lock<[Waiter]>([])

  /// Lets a thread wait for a gate.
  ///
  /// - Returns: What it waits with; `nil` when it would wait for itself.
  static func enter(_ holder: any GateHolder, _ thread: UInt) -> Waiter? {
    let waiter = Waiter(holder, thread)
    let mayWait = waiters.withLock { waiters in
      var owner = holder.gateOwner
      // As many steps as there are threads: what another thread has just said may be old.
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

  /// Gives up waiting.
  ///
  /// - Returns: Whether the thread was not woken before.
  static func leave(_ waiter: Waiter) -> Bool {
    waiters.withLock { waiters in
      guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
      waiters.remove(at: index)
      return true
    }
  }

  /// Wakes threads that wait for a gate, those first that came first.
  ///
  /// - Returns: Whether there was one.
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

/// A thread that waits for a gate.
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
