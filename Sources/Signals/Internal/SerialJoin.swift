/// The logic of a join: a plain state machine, which only one thread at a time uses.
@usableFromInline
protocol JoinLogic<Input, Value, Failure>: SendableMetatype {
  /// The events of the joined signals.
  associatedtype Input: Sendable
  /// The type of the values that the join sends.
  associatedtype Value: Sendable
  /// The type of the errors.
  associatedtype Failure: Error

  /// Processes an input, and sends the resulting values.
  ///
  /// - Returns: The end of the join, if this input ends it.
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>?
}

/// A join of several signals, which puts their events in one order.
///
/// Input after the end, or after disposal of the subscription, is dropped.
@usableFromInline
final class SerialJoin<Logic: JoinLogic>: GateHolder {
  @usableFromInline
  enum Operation: Sendable {
    case receive(Logic.Input)
    /// A joined signal has ended; its subscription is to be disposed.
    case cleanUp(CompositeDisposable)
  }

  @usableFromInline let gate = OwnershipGate<Operation>()
  @usableFromInline let downstream: Observer<Logic.Value, Logic.Failure>
  @usableFromInline let subscription: CompositeDisposable
  // nonisolated(unsafe), and without exclusivity checks, because only the gate's owner uses it.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var state: State

  /// One variable instead of two: logic of size zero would share its address with the object's
  /// header, and ThreadSanitizer takes each change of it for a race.
  @usableFromInline
  struct State {
    @usableFromInline var logic: Logic
    @usableFromInline var isOver = false

    @inlinable
    init(_ logic: Logic) {
      self.logic = logic
    }
  }

  @inlinable
  init(
    _ logic: sending Logic, to downstream: Observer<Logic.Value, Logic.Failure>,
    _ subscription: CompositeDisposable
  ) {
    state = State(logic)
    self.downstream = downstream
    self.subscription = subscription
  }

  @usableFromInline var gateOwner: UInt { gate.currentOwner }

  @inlinable
  func submit(_ input: Logic.Input) {
    guard gate.enter() else { return leaveToOwner(input) }
    perform(input)
    if !gate.leave() { drain() }
  }

  @inline(never)
  @inlinable
  func leaveToOwner(_ input: Logic.Input) {
    gate.waitForRoom(in: self)
    if gate.queue(.receive(input)) { drain() }
  }

  /// Disposes the subscription to a signal that has ended, after its events have been delivered.
  ///
  /// Within a callback of the join, the end is waiting in the queue, and cleanup comes after it.
  @inlinable
  func cleanUp(_ inner: CompositeDisposable) {
    if gate.isIdle {
      subscription.remove(inner)
      inner.dispose()
    } else if gate.queue(.cleanUp(inner)) {
      drain()
    }
  }

  @usableFromInline
  func drain() {
    gate.drain(for: self) { operation in
      switch operation {
      case .receive(let input):
        perform(input)
      case .cleanUp(let inner):
        subscription.remove(inner)
        inner.dispose()
      }
    }
  }

  /// Performs an input; the caller owns the gate.
  ///
  /// Always inlined, like the logic of two signals: one signal then costs no branch for the other,
  /// which makes an event of ``combineLatest(_:_:transform:)`` 5 to 10 % cheaper.
  @inline(__always)
  @inlinable
  func perform(_ input: Logic.Input) {
    guard !state.isOver, !subscription.isDisposed else { return }
    guard let end = state.logic.receive(input, downstream) else { return }
    state.isOver = true
    // A last value that was sent with the end may have led to disposal.
    if !subscription.isDisposed { downstream.onEnd(end) }
  }
}

/// The logic of a merge: passes values on, and ends with the first end it receives.
@usableFromInline
struct Merging<Value: Sendable, Failure: Error>: JoinLogic {
  /// A byte that keeps the struct from being empty.
  ///
  /// An empty field shares its address with the object that contains it, where ThreadSanitizer
  /// takes each access for a race with other users of the object.
  @usableFromInline let place: UInt8 = 0

  @inlinable
  init() {}

  @inlinable
  mutating func receive(
    _ event: Event<Value, Failure>, _ observer: Observer<Value, Failure>
  ) -> End<Failure>? {
    switch event {
    case .next(let value):
      observer.onNext(value)
      return nil
    case .completed: return .completed
    case .failed(let error): return .failed(error)
    }
  }
}
