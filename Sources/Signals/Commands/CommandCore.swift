public import Locks

/// The part of a command that its executions hold.
///
/// "Enabled?" and "executing" are decided together under `state`, and the announcement of each
/// decision takes its place in the order of announcements under the same lock. So observers see the
/// changes in the order in which they were made, whichever threads made them; a change that is made
/// by an observer is announced after the current one.
@usableFromInline
final class CommandCore<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline typealias Run = Execution<Input, Output, Failure>

  /// Makes the work of an execution; puts what cancels it in the place given, if there is one.
  @usableFromInline typealias MakeWork =
    @Sendable (Input, SerialDisposable?) -> Signal<Output, Failure>

  /// What the command is at one moment.
  @usableFromInline
  struct State {
    /// Until the command has gone: work in flight must not keep alive what the closure captures,
    /// its own source perhaps.
    @usableFromInline var makeWork: MakeWork?
    @usableFromInline var isEnabledBySignal = true
    @usableFromInline var allowsConcurrentExecution: Bool
    @usableFromInline var inFlightCount = 0
    /// Whether the signal that enables is being subscribed: its values of that moment are the
    /// beginning, not changes.
    @usableFromInline var isBeginning = false
    @usableFromInline var isClosed = false

    @inlinable
    init(makeWork: @escaping MakeWork, allowsConcurrentExecution: Bool) {
      self.makeWork = makeWork
      self.allowsConcurrentExecution = allowsConcurrentExecution
    }

    @inlinable var snapshot: Snapshot {
      Snapshot(
        isExecuting: inFlightCount > 0,
        isEnabled: isEnabledBySignal && (allowsConcurrentExecution || inFlightCount == 0)
      )
    }
  }

  /// What observers are told of a state.
  @usableFromInline
  struct Snapshot: Sendable {
    @usableFromInline var isExecuting: Bool
    @usableFromInline var isEnabled: Bool

    @inlinable
    init(isExecuting: Bool, isEnabled: Bool) {
      self.isExecuting = isExecuting
      self.isEnabled = isEnabled
    }
  }

  @usableFromInline
  enum Announcement: Sendable {
    case started(Run, Snapshot)
    case next(ExecutionID, Output)
    case ended(Run, End<Failure>, Snapshot)
    case begun(Snapshot)
    case changed(Snapshot)
    case closed(isIdle: Bool)
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let gate = OwnershipGate<Announcement>()
  @usableFromInline let scheduler: (any Scheduler)?
  @usableFromInline let cancelsOnDispose: Bool

  @usableFromInline let executions = Subject<Signal<Output, Never>, Never>()
  @usableFromInline let events = Subject<ExecutionEvent<Input, Output, Failure>, Never>()
  @usableFromInline let errors = Subject<Failure, Never>()
  @usableFromInline let executing = BehaviorSubject<Bool, Never>(false)
  @usableFromInline let enabled = BehaviorSubject<Bool, Never>(true)
  @usableFromInline let enabledSubscription = CompositeDisposable()

  @inlinable
  init(
    allowsConcurrentExecution: Bool,
    cancelsOnDispose: Bool = false,
    scheduler: (any Scheduler)?,
    makeWork: @escaping MakeWork
  ) {
    state = Lock(
      State(makeWork: makeWork, allowsConcurrentExecution: allowsConcurrentExecution)
    )
    self.scheduler = scheduler
    self.cancelsOnDispose = cancelsOnDispose
  }

  @inlinable var allowsConcurrentExecution: Bool {
    get { state.withLock { $0.allowsConcurrentExecution } }
    set { change { $0.allowsConcurrentExecution = newValue } }
  }

  /// Follows the signal that says whether the command may execute; its last value stays.
  ///
  /// Called before anybody else has the command.
  @inlinable
  func follow(_ isEnabled: Signal<Bool, Never>) {
    state.withLock { $0.isBeginning = true }
    isEnabled.attach(
      Observer(next: { value in self.change { $0.isEnabledBySignal = value } }, end: { _ in }),
      until: enabledSubscription
    )
    let turn: Turn = state.withLock { state in
      state.isBeginning = false
      return takeTurn(for: .begun(state.snapshot))
    }
    carryOut(turn)
  }

  /// Executes, or says why not.
  @inlinable
  func execute(_ input: Input) throws(CommandRefusal) -> Run {
    let (id, makeWork): (ExecutionID, MakeWork) = try state.withLock {
      state throws(CommandRefusal) in
      guard state.isEnabledBySignal, let makeWork = state.makeWork else { throw .disabled }
      guard state.allowsConcurrentExecution || state.inFlightCount == 0 else { throw .executing }
      state.inFlightCount += 1
      return (ExecutionID(), makeWork)
    }
    // The place is taken, so whatever the closure does, another execution included, is refused.
    let cancellation = cancelsOnDispose ? SerialDisposable() : nil
    let work = makeWork(input, cancellation)
    let run = Run(id: id, input: input, work: work, cancellation: cancellation)
    let turn: Turn = state.withLock { state in
      takeTurn(for: .started(run, state.snapshot))
    }
    carryOut(turn)
    return run
  }

  /// The command itself has gone: nothing can be executed any more.
  @inlinable
  func close() {
    enabledSubscription.dispose()
    let (turn, makeWork): (Turn, MakeWork?) = state.withLock { state in
      state.isClosed = true
      defer { state.makeWork = nil }
      return (takeTurn(for: .closed(isIdle: state.inFlightCount == 0)), state.makeWork)
    }
    carryOut(turn)
    // Let go of after the lock: what it captures may be the last of something.
    _ = makeWork
  }

  @inlinable
  func change(_ body: @Sendable (inout State) -> Void) {
    let turn: Turn = state.withLock { state in
      body(&state)
      return state.isBeginning ? .leave : takeTurn(for: .changed(state.snapshot))
    }
    carryOut(turn)
  }

  @inlinable
  func finish(_ run: Run, _ end: End<Failure>) {
    let turn: Turn = state.withLock { state in
      state.inFlightCount -= 1
      return takeTurn(for: .ended(run, end, state.snapshot))
    }
    carryOut(turn)
  }
}

// MARK: - Announcing, in one order

extension CommandCore {
  /// What the caller has to do about its announcement once the lock is open.
  @usableFromInline
  enum Turn: Sendable {
    case announce(Announcement)
    case announceQueued
    case leave
  }

  @inlinable
  func takeTurn(for announcement: Announcement) -> Turn {
    if gate.enter() { return .announce(announcement) }
    return gate.queue(announcement) ? .announceQueued : .leave
  }

  @inlinable
  func carryOut(_ turn: Turn) {
    // Work begins outside the gate: it may take long, and others may go on meanwhile.
    var started: [Run] = []
    switch turn {
    case .announce(let announcement): announce(announcement, started: &started)
    case .announceQueued: break
    case .leave: return
    }
    while !gate.leave() {
      for announcement in gate.takeQueued() { announce(announcement, started: &started) }
    }
    for run in started { begin(run) }
  }

  @inlinable
  func announce(_ announcement: Announcement, started: inout [Run]) {
    switch announcement {
    case .started(let run, let snapshot):
      tell(executing: snapshot)
      tell(enabled: snapshot)
      perform { core in
        core.executions.send(run.values)
        core.events.send(.started(run.id, run.input))
      }
      if let scheduler {
        scheduler.schedule { self.begin(run) }
      } else {
        started.append(run)
      }
    case .next(let id, let value):
      perform { $0.events.send(.next(id, value)) }
    case .ended(let run, let end, let snapshot):
      switch end {
      case .completed: perform { $0.events.send(.completed(run.id)) }
      case .failed(let error): perform { $0.events.send(.failed(run.id, error)) }
      }
      // Not scheduled: whoever holds the outcome is told where the work ended, as of its values.
      run.finish(end)
      if case .failed(let error) = end { perform { $0.errors.send(error) } }
      tell(executing: snapshot)
      tell(enabled: snapshot)
      if !snapshot.isExecuting { completeIfClosed() }
    case .begun(let snapshot):
      // Not scheduled: nobody has seen another state before.
      send(enabled: snapshot)
    case .changed(let snapshot):
      perform { core in
        // An execution may have been accepted whose start is not announced yet.
        core.send(executing: snapshot)
        core.send(enabled: snapshot)
      }
    case .closed(let isIdle):
      perform { core in
        core.executions.complete()
        core.enabled.complete()
      }
      if isIdle { completeIfClosed() }
    }
  }

  @inlinable
  func begin(_ run: Run) {
    run.begin(
      next: { value in
        let turn: Turn = self.state.withLock { _ in self.takeTurn(for: .next(run.id, value)) }
        self.carryOut(turn)
      },
      end: { self.finish(run, $0) }
    )
  }

  @inlinable
  func completeIfClosed() {
    guard state.withLock({ $0.isClosed && $0.inFlightCount == 0 }) else { return }
    perform { core in
      core.events.complete()
      core.errors.complete()
      core.executing.complete()
    }
  }

  @inlinable
  func tell(executing snapshot: Snapshot) {
    perform { $0.send(executing: snapshot) }
  }

  @inlinable
  func tell(enabled snapshot: Snapshot) {
    perform { $0.send(enabled: snapshot) }
  }

  @inlinable
  func send(executing snapshot: Snapshot) {
    if executing.value != snapshot.isExecuting { executing.send(snapshot.isExecuting) }
  }

  @inlinable
  func send(enabled snapshot: Snapshot) {
    if enabled.value != snapshot.isEnabled { enabled.send(snapshot.isEnabled) }
  }

  /// Runs a step on the scheduler, a turn of its own for each; without one at once.
  @inlinable
  func perform(_ step: @escaping @Sendable (CommandCore) -> Void) {
    if let scheduler {
      scheduler.schedule { step(self) }
    } else {
      step(self)
    }
  }
}
