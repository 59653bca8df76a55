/// What a join does with what arrives: a plain state machine, which only one thread at a time sees.
@usableFromInline
protocol JoinLogic<Input, Value, Failure>: SendableMetatype {
  /// What arrives from the signals that are joined.
  associatedtype Input: Sendable
  /// What the join sends.
  associatedtype Value: Sendable
  /// What it may fail with.
  associatedtype Failure: Error

  /// Takes in what has arrived, and sends what follows from it.
  ///
  /// - Returns: The end of the join, if this is it.
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>?
}

/// The place where several signals meet: puts what they send in one order.
///
/// After the end, and after disposal of the subscription, what arrives is dropped.
@usableFromInline
final class SerialJoin<Logic: JoinLogic>: GateHolder {
  @usableFromInline
  enum Operation: Sendable {
    case receive(Logic.Input)
    /// A signal that is joined has ended, and what stopped it can go.
    case cleanUp(CompositeDisposable)
  }

  @usableFromInline let gate = OwnershipGate<Operation>()
  @usableFromInline let downstream: Observer<Logic.Value, Logic.Failure>
  @usableFromInline let subscription: CompositeDisposable
  // nonisolated(unsafe) because only the gate's owner touches it, and without exclusivity checks
  // for the same reason.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var state: State

  /// One variable, not two: logic of no size would share its address with the object's header, and
  /// changing it, if only in name, is a race to ThreadSanitizer.
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
    _ logic: sending Logic,
    to downstream: Observer<Logic.Value, Logic.Failure>,
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

  /// Disposes the subscription to a signal that has ended, after what it sent was delivered.
  ///
  /// Within a callback of the join its end waits in the queue, and clean-up comes after the end.
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

  @inlinable
  func perform(_ input: Logic.Input) {
    guard !state.isOver, !subscription.isDisposed else { return }
    guard let end = state.logic.receive(input, downstream) else { return }
    state.isOver = true
    // A last value that was sent with the end may have disposed the subscription.
    if !subscription.isDisposed { downstream.onEnd(end) }
  }
}

/// Joins by passing everything on: the first end that arrives is the end.
@usableFromInline
struct Merging<Value: Sendable, Failure: Error>: JoinLogic {
  /// Keeps the struct from being empty.
  ///
  /// An empty field lies at the address of the object that has it, where ThreadSanitizer takes each
  /// access for a race with those who use the object.
  @usableFromInline let place: UInt8 = 0

  @inlinable
  init() {}

  @inlinable
  mutating func receive(
    _ event: Event<Value, Failure>,
    _ observer: Observer<Value, Failure>
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
