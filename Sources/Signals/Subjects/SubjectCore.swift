/// The part of a subject that its subscriptions hold: the list of observers and what is remembered.
///
/// ```text
/// Subject ──► SubjectCore ──► slots ──► observers
///                  ▲            │
///                  └────────────┘  opened when the slot is removed
/// ```
///
/// The shell that users hold and this core are two objects, or subscriptions would keep the subject
/// alive, and it them. When the shell goes nobody can send any more, and the slots are let go of.
@usableFromInline
final class SubjectCore<Memory: SubjectMemory>: Sendable {
  @usableFromInline typealias Value = Memory.Value
  @usableFromInline typealias Failure = Memory.Failure
  @usableFromInline typealias Slot = ObserverSlot<Value, Failure>

  @usableFromInline
  enum Operation: Sendable {
    case next(Value)
    case end(End<Failure>)
    case add(Slot)
    case remove(SubjectSlot)
    case removeAll
  }

  @usableFromInline let gate = OwnershipGate<Operation>()

  // The next three: nonisolated(unsafe) because only the gate's owner touches them, and without
  // exclusivity checks for the same reason (they cost a tenth of a send).
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var list = SlotList()
  /// Whether the shell has gone: nothing will be sent any more.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var isAbandoned = false
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var memory: Memory

  @inlinable
  init(memory: Memory) {
    self.memory = memory
  }

  deinit {
    list.removeAll { _ in }
  }

  /// What a holder may subscribe, and no more.
  @inlinable var signal: Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in
      let slot = Slot(observer, subscription, remove: { self.remove($0) })
      subscription.add(slot)
      self.add(slot)
    })
  }

  @inlinable
  func next(_ value: Value) {
    guard gate.enter() else {
      if gate.queue(.next(value)) { drain() }
      return
    }
    send(value)
    if !gate.leave() { drain() }
  }

  @inlinable
  func add(_ slot: Slot) {
    if gate.enter() {
      insert(slot)
      if !gate.leave() { drain() }
    } else if gate.queue(.add(slot)) {
      drain()
    }
  }

  @inlinable
  func remove(_ slot: SubjectSlot) {
    if gate.enter() {
      list.remove(slot)
      if !gate.leave() { drain() }
    } else if gate.queue(.remove(slot)) {
      drain()
    }
  }

  @inlinable
  func submit(_ operation: Operation) {
    if gate.enter() {
      perform(operation)
      if !gate.leave() { drain() }
    } else if gate.queue(operation) {
      drain()
    }
  }

  /// Lets go of all observers without an event: nobody can send any more.
  ///
  /// Not through `submit`: it runs in a deinit, where code for a generic type is not specialized,
  /// and making an operation would look its type up.
  @inlinable
  func abandon() {
    if gate.enter() {
      removeAll()
      if !gate.leave() { drain() }
    } else if gate.queue(.removeAll) {
      drain()
    }
  }

  /// Performs what others queued, until there is none left; the caller is the owner.
  @inlinable
  func drain() {
    while !gate.leave() {
      for operation in gate.takeQueued() { perform(operation) }
    }
  }

  @inlinable
  func perform(_ operation: Operation) {
    switch operation {
    case .next(let value): send(value)
    case .end(let end): finish(end)
    case .add(let slot): insert(slot)
    case .remove(let slot): list.remove(slot)
    case .removeAll: removeAll()
    }
  }

  @inlinable
  func send(_ value: Value) {
    guard memory.end == nil else { return }
    if Memory.isKept { memory.record(value) }
    list.forEach { slot in
      // What is in the list was put there by `insert`.
      if slot.isLive { unsafeDowncast(slot, to: Slot.self).observer.onNext(value) }
    }
  }

  @inlinable
  func finish(_ end: End<Failure>) {
    guard memory.end == nil else { return }
    memory.end = end
    list.removeAll { slot in
      if slot.stop() { unsafeDowncast(slot, to: Slot.self).observer.onEnd(end) }
    }
  }

  @inlinable
  func insert(_ slot: Slot) {
    guard slot.isLive else { return }
    let end = memory.end
    if end == nil || Memory.outlivesEnd {
      memory.replay(while: { slot.isLive }, to: { slot.observer.onNext($0) })
    }
    if let end {
      if slot.stop() { slot.observer.onEnd(end) }
    } else if isAbandoned {
      slot.subscription.remove(slot)
    } else if slot.isLive {
      list.append(slot)
    }
  }

  @inlinable
  func removeAll() {
    isAbandoned = true
    list.removeAll { slot in slot.subscription.remove(slot) }
  }
}
