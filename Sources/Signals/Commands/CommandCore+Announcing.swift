/// The announcements of decisions, in the order in which they were made.
extension CommandCore {
  /// The action of the caller for its announcement, once it has released the lock.
  @usableFromInline
  enum Turn: Sendable {
    /// It owns the gate, and makes its own announcement first.
    case announce
    /// It owns the gate, and its announcement is in the queue.
    case announceQueued
    /// The owner of the gate makes the announcement.
    case leave
  }

  /// A change that the observers of one signal see; with a scheduler, each is scheduled separately.
  @usableFromInline
  enum Notice: Sendable {
    case executing(Bool)
    case enabled(Bool)
    case started(Execution)
    case next(ExecutionNumber, Output)
    case ended(Execution, End<Failure>)
    case error(Failure)
    case commandHasGone
    case lastExecutionHasEnded
  }

  /// Enters the gate, or queues the announcement.
  ///
  /// An announcement is created only for the queue: it counts a reference to the execution, and has
  /// to be switched over again.
  @inlinable
  func takeTurn(for announcement: @autoclosure () -> Announcement) -> Turn {
    if gate.enter() { return .announce }
    return gate.queue(announcement()) ? .announceQueued : .leave
  }

  /// Makes the announcements that the caller has to make, and begins executions accepted within
  /// them.
  ///
  /// - Parameters:
  ///   - turn: The result of ``takeTurn(for:)``.
  ///   - announceOwn: Makes the announcement that the turn was taken for.
  @inlinable
  func carryOut(_ turn: Turn, _ announceOwn: () -> Void) {
    begin(announceTurn(turn, announceOwn))
  }

  /// Makes the announcements that the caller has to make, and leaves the gate.
  ///
  /// - Parameters:
  ///   - turn: The result of ``takeTurn(for:)``.
  ///   - announceOwn: Makes the announcement that the turn was taken for.
  /// - Returns: The executions that were accepted within these announcements, for the caller to
  ///   begin; usually `nil`.
  @inlinable
  func announceTurn(_ turn: Turn, _ announceOwn: () -> Void) -> [Execution]? {
    switch turn {
    case .leave: return nil
    case .announceQueued: break
    case .announce:
      announceOwn()
      if accepted.isEmpty, gate.leave() { return nil }
    }
    return announceQueued()
  }

  /// Makes the announcements in the queue, and leaves the gate, which the caller owns.
  @inline(never)
  @inlinable
  func announceQueued() -> [Execution] {
    var newExecutions = accepted
    accepted = []
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
  func begin(_ newExecutions: [Execution]?) {
    guard let newExecutions else { return }
    for execution in newExecutions { ExecutionTrampoline.make(of: name) { execution.begin() } }
  }

  /// Makes an announcement from the queue.
  @inlinable
  func announce(_ announcement: Announcement) {
    switch announcement {
    case .started(let execution, let snapshot):
      announceStart(of: execution, snapshot)
    case .next(let id, let value):
      tell(.next(id, value))
    case .ended(let execution, let end, let snapshot, let isLast):
      announceEnd(of: execution, end, snapshot, isLast: isLast)
    case .begun(let snapshot):
      // Not scheduled: no observer has seen another state before.
      announced = snapshot
      enabled.next(snapshot.isEnabled)
    case .changed(let snapshot):
      // May include an accepted execution, whose start is announced next.
      announce(snapshot)
    case .closed(let isIdle):
      tell(.commandHasGone)
      if isIdle { tell(.lastExecutionHasEnded) }
    }
  }

  @inlinable
  func announceStart(of execution: Execution, _ snapshot: Snapshot) {
    announce(snapshot)
    tell(.started(execution))
    // Without a scheduler the thread that executes begins it.
    if hasScheduler, let scheduler { scheduler.schedule { execution.begin() } }
  }

  @inlinable
  func announceEnd(of execution: Execution, _ end: End<Failure>, _ snapshot: Snapshot, isLast: Bool)
  {
    tell(.ended(execution, end))
    // Not scheduled: the outcome ends where the work ended, as it sent the values.
    execution.finish(end)
    if case .failed(let error) = end { tell(.error(error)) }
    announce(snapshot)
    if isLast { tell(.lastExecutionHasEnded) }
  }

  /// Announces the difference to the state announced last.
  @inlinable
  func announce(_ snapshot: Snapshot) {
    let last = announced
    announced = snapshot
    if last.isExecuting != snapshot.isExecuting { tell(.executing(snapshot.isExecuting)) }
    if last.isEnabled != snapshot.isEnabled { tell(.enabled(snapshot.isEnabled)) }
  }

  /// Delivers a notice on the scheduler, or immediately if there is none.
  ///
  /// Always inlined, so that without a scheduler a notice is never stored: its case is known.
  @inline(__always)
  @inlinable
  func tell(_ notice: Notice) {
    if hasScheduler, let scheduler { schedule(notice, on: scheduler) } else { deliver(notice) }
  }

  @inline(never)
  @inlinable
  func schedule(_ notice: Notice, on scheduler: any Scheduler) {
    scheduler.schedule { self.deliver(notice) }
  }

  @inline(__always)
  @inlinable
  func deliver(_ notice: Notice) {
    switch notice {
    case .executing(let isExecuting): executing.next(isExecuting)
    case .enabled(let isEnabled): enabled.next(isEnabled)
    case .started(let execution):
      // Often only events are observed; making the signal costs as much as sending it.
      if !executions.core.reachesNobody { executions.send(execution.values) }
      events.send(.started(execution.id, execution.input))
    case .next(let id, let value): events.send(.next(id, value))
    case .ended(let execution, .completed):
      events.send(.completed(execution.id, execution.input))
    case .ended(let execution, .failed(let error)):
      events.send(.failed(execution.id, execution.input, error))
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
