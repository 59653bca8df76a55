public import Locks

/// The part of a command that its executions hold.
///
/// "Enabled?" and "executing" are decided together under `state`, and the announcement of each
/// decision takes its place in the order of announcements under the same lock. So observers see the
/// changes in the order in which they were made, whichever threads made them; a change that is made
/// by an observer is announced after the current one.
///
/// Work is subscribed by the thread that executes, whichever thread announces the execution. What it
/// sends is announced after its start in any case.
@usableFromInline
final class CommandCore<Input: Sendable, Output: Sendable, Failure: Error>: GateHolder {
  @usableFromInline typealias Execution = Signals.Execution<Input, Output, Failure>

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
    case started(Execution, Snapshot)
    case next(ExecutionNumber, Output)
    case ended(Execution, End<Failure>, Snapshot)
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
  @usableFromInline let executing = SubjectCore(memory: LatestMemory<Bool, Never>(false))
  @usableFromInline let enabled = SubjectCore(memory: LatestMemory<Bool, Never>(true))
  @usableFromInline let enabledSubscription = CompositeDisposable()
  /// What observers were told last.
  // The next two: nonisolated(unsafe), and without exclusivity checks, because only the gate's owner
  // touches them.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var announced = Snapshot(isExecuting: false, isEnabled: true)
  /// Executions that were accepted within a notification, and begin after it.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var accepted: [Execution] = []

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

  /// Work that never ends may have let go of its observer: nothing will come any more.
  deinit {
    executing.abandon()
    enabled.abandon()
  }

  @usableFromInline var gateOwner: UInt { gate.currentOwner }

  /// What its executions know it by.
  @inlinable var name: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

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
    let subscription = enabledSubscription
    isEnabled.attach(
      Observer(
        next: { value in self.change { $0.isEnabledBySignal = value } },
        end: { _ in subscription.dispose() }
      ),
      subscription
    )
    let turn: Turn = state.withLock { state in
      state.isBeginning = false
      return takeTurn(for: .begun(state.snapshot))
    }
    carryOut(turn)
  }

  /// Executes, or says why not.
  @inlinable
  func execute(_ input: Input) throws(NotEnabledError) -> Execution {
    gate.waitForRoom(in: self)
    let (id, makeWork): (ExecutionNumber, MakeWork) = try state.withLock {
      state throws(NotEnabledError) in
      guard state.isEnabledBySignal, let makeWork = state.makeWork else { throw .disabled }
      guard state.allowsConcurrentExecution || state.inFlightCount == 0 else { throw .executing }
      state.inFlightCount += 1
      return (ExecutionNumber(), makeWork)
    }
    // The place is taken, so whatever the closure does, another execution included, is refused.
    let cancellation = cancelsOnDispose ? SerialDisposable() : nil
    let work = makeWork(input, cancellation)
    let execution = Execution(
      id: id,
      input: input,
      work: work,
      cancellation: cancellation,
      core: self
    )
    let turn: Turn = state.withLock { state in
      takeTurn(for: .started(execution, state.snapshot))
    }
    if scheduler != nil {
      carryOut(turn)
    } else if gate.isOwnedByCurrentThread, case .leave = turn {
      // Within a notification: begun after it, by the same thread, which is this one.
      accepted.append(execution)
    } else if ExecutionTrampoline.deferStep(of: name, { execution.begin() }) {
      carryOut(turn)
    } else {
      // Begun outside the gate: work may take long, and others may go on meanwhile.
      let others = announceTurn(turn)
      execution.begin()
      begin(others)
    }
    return execution
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

  /// A value of an execution, which has remembered it.
  @inlinable
  func pass(_ value: Output, of execution: Execution) {
    gate.waitForRoom(in: self)
    let turn: Turn = state.withLock { _ in takeTurn(for: .next(execution.id, value)) }
    carryOut(turn)
  }

  @inlinable
  func finish(_ execution: Execution, _ end: End<Failure>) {
    let turn: Turn = state.withLock { state in
      state.inFlightCount -= 1
      return takeTurn(for: .ended(execution, end, state.snapshot))
    }
    carryOut(turn)
  }
}
