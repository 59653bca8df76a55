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
    /// The end of an execution; `isLast` if the command has gone and no other one is in flight.
    case ended(Execution, End<Failure>, Snapshot, isLast: Bool)
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
    let (turn, snapshot): (Turn, Snapshot) = state.withLock { state in
      state.isBeginning = false
      let snapshot = state.snapshot
      return (takeTurn(for: .begun(snapshot)), snapshot)
    }
    carryOut(turn) { announce(.begun(snapshot)) }
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
    let (turn, snapshot): (Turn, Snapshot) = state.withLock { state in
      let snapshot = state.snapshot
      return (takeTurn(for: .started(execution, snapshot)), snapshot)
    }
    if scheduler != nil {
      carryOut(turn) { announceStart(of: execution, snapshot) }
    } else if case .leave = turn, gate.isOwnedByCurrentThread {
      // Within a notification: this thread begins it afterwards.
      accepted.append(execution)
    } else if ExecutionTrampoline.isNotifying(of: name) {
      ExecutionTrampoline.deferStep(of: name) { execution.begin() }
      carryOut(turn) { announceStart(of: execution, snapshot) }
    } else {
      let others = announceTurn(turn) { announceStart(of: execution, snapshot) }
      // Begun outside the gate: the work may take long, and others may continue meanwhile.
      execution.begin()
      begin(others)
    }
    return execution
  }

  /// Ends the command: no further execution is accepted.
  @inlinable
  func close() {
    enabledSubscription.dispose()
    let (turn, isIdle, makeWork): (Turn, Bool, MakeWork?) = state.withLock { state in
      state.isClosed = true
      let isIdle = state.inFlightCount == 0
      defer { state.makeWork = nil }
      return (takeTurn(for: .closed(isIdle: isIdle)), isIdle, state.makeWork)
    }
    carryOut(turn) { announce(.closed(isIdle: isIdle)) }
    // Released after the lock: it may capture the last reference to something.
    _ = makeWork
  }

  /// Changes the state, and announces what follows from it.
  @inlinable
  func change(_ body: @Sendable (inout State) -> Void) {
    let (turn, snapshot): (Turn, Snapshot) = state.withLock { state in
      body(&state)
      let snapshot = state.snapshot
      return (state.isBeginning ? .leave : takeTurn(for: .changed(snapshot)), snapshot)
    }
    carryOut(turn) { announce(snapshot) }
  }

  /// Announces a value of an execution, which has remembered it.
  ///
  /// Without the lock: a value changes no state, so it needs a position after the start and before
  /// the end of its own execution only, and these are announced before and after it is sent.
  @inlinable
  func pass(_ value: Output, of execution: Execution) {
    gate.waitForRoom(in: self)
    carryOut(takeTurn(for: .next(execution.id, value))) { tell(.next(execution.id, value)) }
  }

  /// Accepts the next execution, and announces the end of this one.
  @inlinable
  func finish(_ execution: Execution, _ end: End<Failure>) {
    let (turn, snapshot, isLast): (Turn, Snapshot, Bool) = state.withLock { state in
      state.inFlightCount -= 1
      let snapshot = state.snapshot
      // No execution is accepted after the command has gone, so this is decided once and for all.
      let isLast = state.isClosed && state.inFlightCount == 0
      let turn = takeTurn(for: .ended(execution, end, snapshot, isLast: isLast))
      return (turn, snapshot, isLast)
    }
    carryOut(turn) { announceEnd(of: execution, end, snapshot, isLast: isLast) }
  }
}
