/// The part of a command that its executions hold.
///
/// Whether an execution is accepted is decided under the lock of `state`, and the announcement of
/// each decision gets its position in the order of announcements under the same lock. So observers
/// see the changes in the order in which they were made, whichever threads made them; a change made
/// by an observer is announced after the current one.
///
/// The thread that executes subscribes the work, whichever thread announces the execution. Values
/// of the work are always announced after its start.
@usableFromInline
final class CommandCore<Input: Sendable, Output: Sendable, Failure: Error>: GateHolder {
  @usableFromInline typealias Execution = Signals.Execution<Input, Output, Failure>

  /// Makes the work of an execution; stores the disposable that cancels it in the given one, if
  /// any.
  @usableFromInline typealias MakeWork =
    @Sendable (Input, SerialDisposable?) -> Signal<Output, Failure>

  /// The state of a command at one moment.
  @usableFromInline
  struct State {
    /// The closure that makes the work, until the command is released: work in flight must not keep
    /// its captures alive, which may include its own source.
    @usableFromInline var makeWork: MakeWork?
    @usableFromInline var isEnabledBySignal = true
    @usableFromInline var allowsConcurrentExecution: Bool
    @usableFromInline var inFlightCount = 0
    /// Whether the enabling signal is being subscribed: its values at that moment are the initial
    /// state instead of changes.
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
        isEnabled: isEnabledBySignal && (allowsConcurrentExecution || inFlightCount == 0))
    }
  }

  /// The part of a state that observers see.
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
    /// The end of an execution; `isLast` if the command has been released and no other one is in
    /// flight.
    case ended(Execution, End<Failure>, Snapshot, isLast: Bool)
    case begun(Snapshot)
    case changed(Snapshot)
    case closed(isIdle: Bool)
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let gate = OwnershipGate<Announcement>()
  @usableFromInline let scheduler: (any Scheduler)?
  /// Whether there is a scheduler: to look at an optional existential copies it, which was a seventh
  /// of an execution without one.
  @usableFromInline let hasScheduler: Bool
  @usableFromInline let cancelsOnDispose: Bool

  @usableFromInline let executions = Subject<Signal<Output, Never>, Never>()
  @usableFromInline let events = Subject<ExecutionEvent<Input, Output, Failure>, Never>()
  @usableFromInline let errors = Subject<Failure, Never>()
  @usableFromInline let executing = SubjectCore(memory: LatestMemory<Bool, Never>(false))
  @usableFromInline let enabled = SubjectCore(memory: LatestMemory<Bool, Never>(true))
  @usableFromInline let enabledSubscription = CompositeDisposable()
  /// The state that was announced last.
  // The next two: nonisolated(unsafe), and without exclusivity checks, because only the gate's
  // owner uses them.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var announced = Snapshot(isExecuting: false, isEnabled: true)
  /// Executions that were accepted within a notification, and begin after it.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var accepted: [Execution] = []

  @inlinable
  init(
    allowsConcurrentExecution: Bool, cancelsOnDispose: Bool = false, scheduler: (any Scheduler)?,
    makeWork: @escaping MakeWork
  ) {
    state = Lock(State(makeWork: makeWork, allowsConcurrentExecution: allowsConcurrentExecution))
    self.scheduler = scheduler
    hasScheduler = scheduler != nil
    self.cancelsOnDispose = cancelsOnDispose
  }

  /// Releases the observers of the state: work that never ends may have released its own observer.
  deinit {
    executing.abandon()
    enabled.abandon()
  }

  @usableFromInline var gateOwner: UInt { gate.currentOwner }

  /// The number by which its executions identify it.
  @inlinable var name: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

  @inlinable var allowsConcurrentExecution: Bool {
    get { state.withLock { $0.allowsConcurrentExecution } }
    set { change { $0.allowsConcurrentExecution = newValue } }
  }

  /// Follows the signal that enables the command; its last value stays.
  ///
  /// Called before any other code has a reference to the command.
  @inlinable
  func follow(_ isEnabled: Signal<Bool, Never>) {
    state.withLock { $0.isBeginning = true }
    let subscription = enabledSubscription
    isEnabled.attach(
      Observer(
        next: { value in self.change { $0.isEnabledBySignal = value } },
        end: { _ in subscription.dispose() }), subscription)
    let (turn, snapshot): (Turn, Snapshot) = state.withLock { state in
      state.isBeginning = false
      let snapshot = state.snapshot
      return (takeTurn(for: .begun(snapshot)), snapshot)
    }
    carryOut(turn) { announce(.begun(snapshot)) }
  }

  /// Executes, or throws the reason why not.
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
    // The execution has been accepted, so an attempt to execute within the closure is rejected.
    let cancellation = cancelsOnDispose ? SerialDisposable() : nil
    let work = makeWork(input, cancellation)
    let execution = Execution(
      id: id, input: input, work: work, cancellation: cancellation, core: self)
    let (turn, snapshot): (Turn, Snapshot) = state.withLock { state in
      let snapshot = state.snapshot
      return (takeTurn(for: .started(execution, snapshot)), snapshot)
    }
    if hasScheduler {
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
    // Released after the lock: it may hold the last reference to an object whose deinit runs other
    // code.
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
  /// Without the lock: a value changes no state, so it only needs a position between the start and
  /// the end of its own execution, whose announcements precede and follow this call.
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
      // No execution is accepted after the command has been released, so this decision is final.
      let isLast = state.isClosed && state.inFlightCount == 0
      let turn = takeTurn(for: .ended(execution, end, snapshot, isLast: isLast))
      return (turn, snapshot, isLast)
    }
    carryOut(turn) { announceEnd(of: execution, end, snapshot, isLast: isLast) }
  }
}
