public import Locks

/// A value that any thread may read, and whose changes are sent in the order in which they were
/// made: what ``BehaviorSubject`` and ``Property`` have in common.
@usableFromInline
final class CurrentValue<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline typealias Core = SubjectCore<LatestMemory<Value, Failure>>

  @usableFromInline
  struct State: Sendable {
    @usableFromInline var value: Value
    /// One more with each value, so that `modify` sees whether it has changed.
    @usableFromInline var version: UInt64 = 0
    @usableFromInline var hasEnded = false

    @inlinable
    init(value: Value) {
      self.value = value
    }

    @inlinable
    mutating func replace(with value: Value) {
      self.value = value
      version &+= 1
    }
  }

  /// What a change found when it was made.
  @usableFromInline
  enum Turn: Sendable {
    /// The caller owns the gate and performs its own operation first.
    case perform
    /// The caller owns the gate and takes what is queued, its own operation among it.
    case drain
    /// Another thread, or an outer call of this one, sends it.
    case leave
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let core: Core

  @inlinable
  init(_ initial: Value) {
    state = Lock(State(value: initial))
    core = Core(memory: LatestMemory(initial))
  }

  deinit {
    core.abandon()
  }

  @inlinable var value: Value { state.withLock { $0.value } }

  /// Changes the value and sends it.
  ///
  /// The place in the order of sending is taken under the same lock, so that the last value sent is
  /// the one that stays.
  @inlinable
  func set(_ value: Value) {
    // Before the lock: while it is held nobody can read the value.
    core.gate.waitForRoom(in: core)
    let (turn, old): (Turn, Value?) = state.withLock { state in
      if state.hasEnded { return (.leave, nil) }
      let old = state.value
      state.replace(with: value)
      return (takeTurn(for: .next(value)), old)
    }
    carryOut(turn) { core.send(value) }
    // Released after the lock: it may be the last of something whose deinit sends.
    _ = old
  }

  @inlinable
  func finish(_ end: End<Failure>) {
    let turn: Turn = state.withLock { state in
      if state.hasEnded { return .leave }
      state.hasEnded = true
      return takeTurn(for: .end(end))
    }
    carryOut(turn) { core.finish(end) }
  }

  /// Enters the gate, or queues an operation, which is made only then.
  @inlinable
  func takeTurn(for operation: @autoclosure () -> Core.Operation) -> Turn {
    if core.gate.enter() { return .perform }
    return core.gate.queue(operation()) ? .drain : .leave
  }

  /// Performs what is the caller's to perform.
  ///
  /// - Parameters:
  ///   - turn: What ``takeTurn(for:)`` returned.
  ///   - perform: Performs the caller's own operation.
  @inlinable
  func carryOut(_ turn: Turn, _ perform: () -> Void) {
    switch turn {
    case .perform:
      perform()
      if !core.gate.leave() { core.drain() }
    case .drain:
      core.drain()
    case .leave:
      break
    }
  }
}
