public import Locks

/// Telling observers what was decided, in the order in which it was decided.
extension CommandCore {
  /// What the caller has to do about its announcement once the lock is open.
  @usableFromInline
  enum Turn: Sendable {
    case announce(Announcement)
    case announceQueued
    case leave
  }

  /// What observers of one signal are told, a turn of the scheduler for each.
  @usableFromInline
  enum Notice: Sendable {
    case executing(Bool)
    case enabled(Bool)
    case started(Execution)
    case next(ExecutionNumber, Output)
    case ended(ExecutionNumber, End<Failure>)
    case error(Failure)
    case commandHasGone
    case lastExecutionHasEnded
  }

  @inlinable
  func takeTurn(for announcement: Announcement) -> Turn {
    if gate.enter() { return .announce(announcement) }
    return gate.queue(announcement) ? .announceQueued : .leave
  }

  @inlinable
  func carryOut(_ turn: Turn) {
    begin(announceTurn(turn))
  }

  /// Announces what is the caller's to announce, and leaves.
  ///
  /// - Returns: The executions that were accepted within these notifications; the caller begins them.
  @inlinable
  func announceTurn(_ turn: Turn) -> [Execution] {
    var newExecutions: [Execution] = []
    switch turn {
    case .announce(let announcement):
      announce(announcement)
      if !accepted.isEmpty { swap(&accepted, &newExecutions) }
      if gate.leave() { return newExecutions }
    case .announceQueued: break
    case .leave: return newExecutions
    }
    gate.drain(for: self) { announcement in
      announce(announcement)
      if accepted.isEmpty { return }
      newExecutions += accepted
      accepted = []
    }
    return newExecutions
  }

  /// Begins executions, one after the other.
  @inlinable
  func begin(_ newExecutions: [Execution]) {
    for execution in newExecutions { ExecutionTrampoline.make(of: name) { execution.begin() } }
  }

  /// Announces one decision.
  @inlinable
  func announce(_ announcement: Announcement) {
    switch announcement {
    case .started(let execution, let snapshot):
      announce(snapshot)
      tell(.started(execution))
      // Without a scheduler the thread that executes begins it.
      if let scheduler { scheduler.schedule { execution.begin() } }
    case .next(let id, let value):
      tell(.next(id, value))
    case .ended(let execution, let end, let snapshot):
      tell(.ended(execution.id, end))
      // Not scheduled: whoever holds the outcome is told where the work ended, as of its values.
      execution.finish(end)
      if case .failed(let error) = end { tell(.error(error)) }
      announce(snapshot)
      if !snapshot.isExecuting { completeIfClosed() }
    case .begun(let snapshot):
      // Not scheduled: nobody has seen another state before.
      announced = snapshot
      enabled.next(snapshot.isEnabled)
    case .changed(let snapshot):
      // An execution may have been accepted whose start is not announced yet.
      announce(snapshot)
    case .closed(let isIdle):
      tell(.commandHasGone)
      if isIdle { completeIfClosed() }
    }
  }

  /// Tells what is different from the state told last.
  @inlinable
  func announce(_ snapshot: Snapshot) {
    let last = announced
    announced = snapshot
    if last.isExecuting != snapshot.isExecuting { tell(.executing(snapshot.isExecuting)) }
    if last.isEnabled != snapshot.isEnabled { tell(.enabled(snapshot.isEnabled)) }
  }

  @inlinable
  func completeIfClosed() {
    if state.withLock({ $0.isClosed && $0.inFlightCount == 0 }) { tell(.lastExecutionHasEnded) }
  }

  /// Tells observers on the scheduler, without one at once.
  @inlinable
  func tell(_ notice: Notice) {
    if let scheduler {
      scheduler.schedule { self.deliver(notice) }
    } else {
      deliver(notice)
    }
  }

  @inlinable
  func deliver(_ notice: Notice) {
    switch notice {
    case .executing(let isExecuting): executing.next(isExecuting)
    case .enabled(let isEnabled): enabled.next(isEnabled)
    case .started(let execution):
      executions.send(execution.values)
      events.send(.started(execution.id, execution.input))
    case .next(let id, let value): events.send(.next(id, value))
    case .ended(let id, .completed): events.send(.completed(id))
    case .ended(let id, .failed(let error)): events.send(.failed(id, error))
    case .error(let error): errors.send(error)
    case .commandHasGone:
      executions.complete()
      enabled.submit(.end(.completed))
    case .lastExecutionHasEnded:
      events.complete()
      errors.complete()
      executing.submit(.end(.completed))
    }
  }
}
