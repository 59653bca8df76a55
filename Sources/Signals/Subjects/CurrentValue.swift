/// A value that any thread may read, and whose changes are sent in the order in which they were
/// made; the common part of ``BehaviorSubject`` and ``Property``.
@usableFromInline
final class CurrentValue<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline typealias Core = SubjectCore<LatestMemory<Value, Failure>>

  @usableFromInline
  struct State: Sendable {
    @usableFromInline var value: Value
    /// The number of changes, by which `modify` detects a change.
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

  /// The state of the gate when a change was made.
  @usableFromInline
  enum Turn: Sendable {
    /// The caller owns the gate, and performs its own operation first.
    case perform
    /// The caller owns the gate, and performs the queued operations, including its own.
    case drain
    /// Another thread, or an outer call on this one, sends the value.
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
  /// The position in the order of sending is taken under the same lock, so that the last value sent
  /// is the current one.
  @inlinable
  func set(_ value: Value) {
    // Before the lock: while it is held, no thread can read the value.
    core.gate.waitForRoom(in: core)
    let (turn, old): (Turn, Value?) = state.withLock { state in
      if state.hasEnded { return (.leave, nil) }
      let old = state.value
      state.replace(with: value)
      return (takeTurn(for: .next(value)), old)
    }
    carryOut(turn) { core.send(value) }
    // Released after the lock: its deinit may send to this property.
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

  /// Enters the gate, or queues an operation, which is created only then.
  @inlinable
  func takeTurn(for operation: @autoclosure () -> Core.Operation) -> Turn {
    if core.gate.enter() { return .perform }
    return core.gate.queue(operation()) ? .drain : .leave
  }

  /// Performs the operations that the caller has to perform.
  ///
  /// - Parameters:
  ///   - turn: The result of ``takeTurn(for:)``.
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
