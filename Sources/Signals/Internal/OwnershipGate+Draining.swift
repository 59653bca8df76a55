public import Synchronization

/// An object with a gate for which threads may have to wait.
@usableFromInline
protocol GateHolder: AnyObject, Sendable {
  /// The thread that owns the gate; 0 when there is none.
  var gateOwner: UInt { get }
}

/// The limits on the work that one thread does for others, and on the work that is queued.
///
/// `Contract.md` documents both with their reasons.
@usableFromInline
enum GateLimits {
  /// The number of operations that a thread performs for other threads before it offers them the
  /// gate: enough to make the cost of passing it negligible, few enough not to delay the caller.
  @inlinable static var operations: Int { 1_024 }
  /// The time for which it performs operations of other threads before it does so, in nanoseconds.
  @inlinable static var nanoseconds: UInt64 { 1_000_000 }
  /// The number of further operations after an offer that no thread took, and the time for them.
  ///
  /// Both double with each such offer, up to the limits above: an offer yields to other threads,
  /// which takes long when there are many.
  @inlinable static var operationsBetweenOffers: Int { 64 }
  @inlinable static var nanosecondsBetweenOffers: UInt64 { 50_000 }
  /// The number of operations that the owner performs before it counts them: few enough to wake the
  /// threads that wait for room in time, enough to make the cost negligible.
  @inlinable static var operationsBetweenCounts: Int { 64 }
  /// The number of operations that may be queued before a sender waits: more than bursts of a
  /// working program reach, few enough to occupy only a few megabytes.
  @inlinable static var queued: Int { 16_384 }
}

extension OwnershipGate {
  /// Performs queued operations until none is left or another thread takes over; the caller is the
  /// owner before, and not after.
  ///
  /// Operations that the caller queued itself, from within an operation, do not count. After 1,024
  /// others, or a millisecond, it offers the gate: a thread that waits for room is woken and takes
  /// over, or the next one that queues an operation. Each thread that takes over is in a call of
  /// its own that adds an operation, so everything has been performed once all these calls have
  /// returned. If no thread takes over, the caller continues, and offers the gate repeatedly; the
  /// queue then no longer grows.
  ///
  /// - Parameters:
  ///   - holder: The object with this gate.
  ///   - perform: Performs one operation.
  /// - Returns: Whether the caller left the gate; otherwise another thread owns it.
  @inlinable
  @discardableResult
  borrowing func drain(for holder: some GateHolder, _ perform: (Operation) -> Void) -> Bool {
    var budget = DrainBudget()
    var oldest = takePassedOn()
    repeat {
      while let next = takeNext(&oldest) {
        perform(next.operation)
        budget.uncountedCount += 1
        guard isOwned else {
          drop(oldest)
          return true
        }
        if budget.uncountedCount == GateLimits.operationsBetweenCounts {
          count(&budget, for: holder)
        }
        if next.isOwn || !budget.isSpent() { continue }
        count(&budget, for: holder)
        if offer(holder, &oldest) { return false }
        budget.extend()
      }
      count(&budget, for: holder)
    } while !leave()
    if waiterCount.load(ordering: .sequentiallyConsistent) > 0 { admitAll(to: holder) }
    return true
  }

  /// Takes what the previous owner passed on; called by the owner.
  ///
  /// - Returns: The address of the oldest operation; 0 if there is none.
  @inlinable
  borrowing func takePassedOn() -> UInt {
    let oldest = passedOn.load(ordering: .relaxed)
    if oldest != 0 { passedOn.store(0, ordering: .relaxed) }
    return oldest
  }

  /// Whether the gate still has an owner; otherwise the operation that the owner has just performed
  /// has closed it.
  @inline(__always)
  @inlinable
  var isOwned: Bool { owner.load(ordering: .relaxed) != 0 }

  /// Counts the operations that the owner has performed, and wakes waiting threads if there is room.
  @usableFromInline
  borrowing func count(_ budget: inout DrainBudget, for holder: some GateHolder) {
    queuedCount.wrappingSubtract(budget.uncountedCount, ordering: .relaxed)
    budget.uncountedCount = 0
    if waiterCount.load(ordering: .relaxed) > 0, pendingCount <= GateLimits.queued / 2 {
      admitAll(to: holder)
    }
  }

  /// Offers the gate to other threads for a moment.
  ///
  /// - Parameters:
  ///   - holder: The object with this gate.
  ///   - oldest: The address of the oldest operation that the owner has taken, which it passes on;
  ///     afterwards what it has to perform, if no other thread has taken the gate.
  /// - Returns: Whether another thread has taken it, or certainly will.
  @usableFromInline
  borrowing func offer(_ holder: some GateHolder, _ oldest: inout UInt) -> Bool {
    var seen = state.load(ordering: .relaxed)
    if seen == Self.owned, oldest == 0 { return false }
    owner.store(0, ordering: .relaxed)
    passedOn.store(oldest, ordering: .relaxed)
    while true {
      let (exchanged, now) = state.compareExchange(
        expected: seen, desired: seen == Self.owned ? Self.offered : seen | 1,
        ordering: .sequentiallyConsistent)
      if exchanged { break }
      seen = now
    }
    if waiterCount.load(ordering: .sequentiallyConsistent) > 0, admitOne(to: holder) { return true }
    for _ in 0..<4 {
      CurrentThread.yield()
      if !Self.isOffered(state.load(ordering: .relaxed)) { return true }
    }
    if !withdraw() { return true }
    // Maybe not what was passed on here: another thread may have taken the gate, and offered it.
    oldest = takePassedOn()
    return false
  }

  /// Becomes the owner again after an offer.
  ///
  /// - Returns: Whether no other thread has taken it.
  @usableFromInline
  borrowing func withdraw() -> Bool {
    var seen = state.load(ordering: .relaxed)
    while Self.isOffered(seen) {
      let (exchanged, now) = state.compareExchange(
        expected: seen, desired: seen == Self.offered ? Self.owned : seen & ~1, ordering: .acquiring
      )
      if exchanged {
        owner.store(CurrentThread.id, ordering: .relaxed)
        return true
      }
      seen = now
    }
    return false
  }
}

/// The work that a draining thread may still do for others.
@usableFromInline
struct DrainBudget {
  /// The number of operations that were performed for other threads.
  @usableFromInline var operationCount = 0
  /// The number of operations that were performed, and not yet counted by the gate.
  @usableFromInline var uncountedCount = 0
  @usableFromInline var limit = GateLimits.operations
  /// When the time is over, on the monotonic clock in nanoseconds; 0 before the first operation.
  @usableFromInline var deadline: UInt64 = 0
  /// When the clock was read last, in nanoseconds.
  @usableFromInline var lastReading: UInt64 = 0
  /// The number of operations after which it is read next.
  @usableFromInline var nextReading = 1
  /// The number of offers that no thread took.
  @usableFromInline var offerCount = 0

  @inlinable
  init() {}

  /// Counts an operation that was performed for another thread.
  ///
  /// The time runs from the end of the first operation, so that the usual single operation does not
  /// read the clock. Quick operations read it once in eight: it takes as long as such an operation.
  ///
  /// - Returns: Whether the budget is spent.
  @inlinable
  mutating func isSpent() -> Bool {
    operationCount += 1
    if operationCount >= limit { return true }
    guard operationCount >= nextReading else { return false }
    let now = Self.now
    let isQuick = now - lastReading < GateLimits.nanoseconds / 16
    nextReading = operationCount + (isQuick ? 8 : 1)
    lastReading = now
    if deadline == 0 { deadline = now + GateLimits.nanoseconds }
    return now >= deadline
  }

  /// Extends the budget a little, because no other thread took the gate.
  @inlinable
  mutating func extend() {
    let factor = 1 << min(offerCount, 8)
    offerCount += 1
    limit = operationCount + min(GateLimits.operationsBetweenOffers * factor, GateLimits.operations)
    deadline =
      Self.now
      + min(GateLimits.nanosecondsBetweenOffers * UInt64(factor), GateLimits.nanoseconds)
  }

  /// The time of a monotonic clock in nanoseconds.
  @usableFromInline static var now: UInt64 { MonotonicClock.nanoseconds }
}
