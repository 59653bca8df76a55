public import Synchronization

/// An object with a gate that threads may have to wait for.
@usableFromInline
protocol GateHolder: AnyObject, Sendable {
  /// The thread inside the gate; 0 when there is none.
  var gateOwner: UInt { get }
}

/// How much one thread does for others, and how much it lets them leave to it.
///
/// Both bounds are documented in `Contract.md`, with their reasons.
@usableFromInline
enum GateLimits {
  /// How many operations of other threads a thread performs before it offers the gate to them: so
  /// many that handing over costs next to nothing each, and few enough for a callback's patience.
  @inlinable static var operations: Int { 1_024 }
  /// How long it performs operations of other threads before it does so, in nanoseconds.
  @inlinable static var nanoseconds: UInt64 { 1_000_000 }
  /// After an offer that nobody took: how many more operations, and for how long.
  ///
  /// Both double with each such offer, up to the limits above: an offer lets other threads run, which
  /// takes long when many want to.
  @inlinable static var operationsBetweenOffers: Int { 64 }
  @inlinable static var nanosecondsBetweenOffers: UInt64 { 50_000 }
  /// How many operations may be queued before a sender waits: so many that no burst of a working
  /// program reaches it, and few enough that what waits is a few megabytes.
  @inlinable static var queued: Int { 16_384 }
}

extension OwnershipGate {
  /// Performs what others queued, until nothing is left or another thread takes over; the caller is
  /// the owner, and is not afterwards.
  ///
  /// Operations that the caller queued itself, from within an operation, do not count. After 1,024
  /// others, or a millisecond, it offers the gate: a thread that waits for room is woken and takes
  /// over, or else the next one that queues an operation. Each thread that takes over is within a
  /// call of its own that adds something, so that all has been performed once all such calls have
  /// returned. While nobody comes the caller goes on, and offers again and again; what is left then
  /// grows no more.
  ///
  /// - Parameters:
  ///   - holder: What has this gate.
  ///   - perform: Performs one operation.
  /// - Returns: Whether the caller was the one that left; another thread has the gate otherwise.
  @inlinable
  @discardableResult
  borrowing func drain(for holder: some GateHolder, _ perform: (Operation) -> Void) -> Bool {
    var budget = DrainBudget()
    repeat {
      while let next = takeNext() {
        perform(next.operation)
        if state.load(ordering: .relaxed) == Self.closed { return true }
        if waiterCount.load(ordering: .relaxed) > 0 { admitIfThereIsRoom(to: holder) }
        if next.isOwn || !budget.isSpent() { continue }
        if offer(holder) { return false }
        budget.extend()
      }
    } while !leave()
    if waiterCount.load(ordering: .sequentiallyConsistent) > 0 { admitAll(to: holder) }
    return true
  }

  /// Offers the gate for a moment.
  ///
  /// - Returns: Whether another thread has taken it, or is certain to.
  @usableFromInline
  borrowing func offer(_ holder: some GateHolder) -> Bool {
    var seen = state.load(ordering: .relaxed)
    if seen == Self.owned, taken.load(ordering: .relaxed) == 0 { return false }
    owner.store(0, ordering: .relaxed)
    while true {
      let (exchanged, now) = state.compareExchange(
        expected: seen,
        desired: seen == Self.owned ? Self.offered : seen | 1,
        ordering: .sequentiallyConsistent
      )
      if exchanged { break }
      seen = now
    }
    if waiterCount.load(ordering: .sequentiallyConsistent) > 0, admitOne(to: holder) { return true }
    for _ in 0..<4 {
      CurrentThread.yield()
      if !Self.isOffered(state.load(ordering: .relaxed)) { return true }
    }
    return !withdraw()
  }

  /// Becomes the owner again after an offer.
  ///
  /// - Returns: Whether nobody else has.
  @usableFromInline
  borrowing func withdraw() -> Bool {
    var seen = state.load(ordering: .relaxed)
    while Self.isOffered(seen) {
      let (exchanged, now) = state.compareExchange(
        expected: seen,
        desired: seen == Self.offered ? Self.owned : seen & ~1,
        ordering: .acquiring
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

/// What a thread that drains may still do for others.
@usableFromInline
struct DrainBudget {
  @usableFromInline var operationCount = 0
  @usableFromInline var limit = GateLimits.operations
  @usableFromInline var deadline: UInt64 = 0
  /// How often nobody has taken the gate.
  @usableFromInline var offerCount = 0

  @inlinable
  init() {}

  /// Counts an operation that was performed for another thread.
  ///
  /// The time runs from the end of the first one, so that a single one, which is the rule, costs no
  /// look at the clock.
  ///
  /// - Returns: Whether it was the last one to be performed for now.
  @inlinable
  mutating func isSpent() -> Bool {
    operationCount += 1
    if operationCount >= limit { return true }
    if deadline > 0 { return Self.now >= deadline }
    deadline = Self.now + GateLimits.nanoseconds
    return false
  }

  /// Allows a little more, because nobody else wants to.
  @inlinable
  mutating func extend() {
    let factor = 1 << min(offerCount, 8)
    offerCount += 1
    limit = operationCount + min(GateLimits.operationsBetweenOffers * factor, GateLimits.operations)
    deadline =
      Self.now
      + min(GateLimits.nanosecondsBetweenOffers * UInt64(factor), GateLimits.nanoseconds)
  }

  /// Nanoseconds of a clock that never goes back.
  @usableFromInline static var now: UInt64 { MonotonicClock.nanoseconds }
}
