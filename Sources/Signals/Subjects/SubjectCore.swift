public import Synchronization

/// The part of a subject that its subscriptions hold: the list of observers and the memory.
///
/// ```text
/// Subject ──► SubjectCore ──► slots ──► observers
///                  ▲            │
///                  └────────────┘  opened when the slot is removed
/// ```
///
/// The subject that users hold and this core are two objects; otherwise a subject and its
/// subscriptions would keep each other alive. When the subject is released, no value can follow,
/// and the slots are released.
@usableFromInline
final class SubjectCore<Memory: SubjectMemory>: ObserverTarget, GateHolder, @unchecked Sendable {
  // @unchecked Sendable because its superclass has subclasses; the fields that are neither constant
  // nor atomic are explained below.

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
    case follow(Following)
    case unfollow(Following)
  }

  @usableFromInline let gate = OwnershipGate<Operation>()
  /// The number of observers in the list; only the gate's owner changes it.
  @usableFromInline let observerCount = Atomic(0)

  // The next four: nonisolated(unsafe), and without exclusivity checks, which cost a tenth of a
  // send, because only the gate's owner uses them.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var list = SlotList()
  /// Whether the subject has been released: no value can follow.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var isAbandoned = false
  /// The events that later observers get.
  // nonisolated(unsafe) like `list`: only the gate's owner uses it.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var memory: Memory

  /// The subscriptions of the subject itself to its sources.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var followed = FollowedSources()

  /// The command whose result it is, see ``ExecutionTrampoline``; 0 for a subject.
  @usableFromInline let command: UInt

  @inlinable
  init(memory: Memory, command: UInt = 0) {
    self.memory = memory
    self.command = command
  }

  deinit {
    list.removeAll { _ in }
  }

  @usableFromInline var gateOwner: UInt { gate.currentOwner }

  /// Whether a value that is sent now reaches no observer.
  ///
  /// While the gate is idle, every observer that was subscribed before is in the list: the check of
  /// the gate comes first. An observer that is subscribed meanwhile is subscribed after the value.
  @inlinable var reachesNobody: Bool {
    gate.isIdle && observerCount.load(ordering: .relaxed) == 0
  }

  /// The signal that holders may subscribe.
  @inlinable var signal: Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in self.attach(observer, subscription) })
  }

  @inlinable
  func attach(_ observer: Observer<Value, Failure>, _ subscription: CompositeDisposable) {
    let slot = Slot(observer, subscription, remove: { self.remove($0) })
    subscription.add(slot)
    add(slot)
  }

  @inlinable
  func next(_ value: Value) {
    guard gate.enter() else { return leaveToOwner(.next(value)) }
    send(value)
    if !gate.leave() { drain() }
  }

  /// Queues an operation that sends, after waiting for room.
  @inline(never)
  @inlinable
  func leaveToOwner(_ operation: Operation) {
    gate.waitForRoom(in: self)
    if gate.queue(operation) { drain() }
  }

  @inlinable
  func add(_ slot: Slot) {
    guard gate.enter() else { return leaveToOwner(adding: slot) }
    insert(slot)
    if !gate.leave() { drain() }
  }

  /// Queues the addition of an observer, which does not wait for room.
  @inline(never)
  @inlinable
  func leaveToOwner(adding slot: Slot) {
    if gate.queue(.add(slot)) { drain() } else { gate.giveWayIfFull() }
  }

  @inlinable
  func remove(_ slot: SubjectSlot) {
    guard gate.enter() else { return leaveToOwner(removing: slot) }
    delete(slot)
    if !gate.leave() { drain() }
  }

  /// Queues the removal of an observer, which does not wait for room.
  @inline(never)
  @inlinable
  func leaveToOwner(removing slot: SubjectSlot) {
    if gate.queue(.remove(slot)) { drain() }
  }

  override func follow(_ following: Following) {
    submit(.follow(following))
  }

  override func unfollow(_ following: Following) {
    submit(.unfollow(following))
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

  /// Releases all observers without an event: no value can follow.
  ///
  /// It does not use `submit`: it runs in a deinit, where code for a generic type is not
  /// specialized, and making an operation would look up its type.
  @inlinable
  func abandon() {
    if gate.enter() {
      removeAll()
      if !gate.leave() { drain() }
    } else if gate.queue(.removeAll) {
      drain()
    }
  }

  /// Performs queued operations, and leaves the gate, which the caller owns.
  @inlinable
  func drain() {
    gate.drain(for: self) { perform($0) }
  }

  @inlinable
  func perform(_ operation: Operation) {
    switch operation {
    case .next(let value): send(value)
    case .end(let end): finish(end)
    case .add(let slot): insert(slot)
    case .remove(let slot): delete(slot)
    case .removeAll: removeAll()
    case .follow(let following): keep(following)
    case .unfollow(let following): followed.remove(following)
    }
  }

  @inlinable
  func send(_ value: Value) {
    guard memory.end == nil else { return }
    if Memory.isKept { memory.record(value) }
    list.forEach { slot in
      // The list only contains slots that `insert` added.
      if slot.isLive { unsafeDowncast(slot, to: Slot.self).onNext(value) }
    }
  }

  @inlinable
  func finish(_ end: End<Failure>) {
    guard memory.end == nil else { return }
    memory.end = end
    list.removeAll { slot in
      if slot.stop() { unsafeDowncast(slot, to: Slot.self).onEnd(end) }
    }
    observerCount.store(0, ordering: .relaxed)
    if !followed.isEmpty { stopFollowing() }
  }

  @inlinable
  func insert(_ slot: Slot) {
    guard slot.isLive else { return }
    let end = memory.end
    if end == nil || Memory.outlivesEnd {
      memory.replay(while: { slot.isLive }, to: { slot.onNext($0) })
    }
    if let end {
      if slot.stop() { deliverLate(end, to: slot) }
    } else if isAbandoned {
      slot.leave()
    } else if slot.isLive {
      list.append(slot)
      observerCount.store(list.slotCount, ordering: .relaxed)
    }
  }

  @inlinable
  func delete(_ slot: SubjectSlot) {
    list.remove(slot)
    observerCount.store(list.slotCount, ordering: .relaxed)
  }

  /// Delivers the end to an observer that is subscribed after it.
  @inlinable
  func deliverLate(_ end: End<Failure>, to slot: Slot) {
    if command == 0 { return slot.onEnd(end) }
    // A notification of the command: work that is executed from within it begins afterwards.
    ExecutionTrampoline.notify(of: command) { slot.onEnd(end) }
  }

  @inlinable
  func removeAll() {
    isAbandoned = true
    list.removeAll { slot in slot.leave() }
    observerCount.store(0, ordering: .relaxed)
  }

  /// Records a subscription that the end disposes.
  @usableFromInline
  func keep(_ following: Following) {
    if memory.end == nil { followed.append(following) } else { following.stop() }
  }

  /// Disposes the subject's own subscriptions, after its end was delivered.
  @usableFromInline
  func stopFollowing() {
    let stopped = followed
    followed = FollowedSources()
    stopped.stop()
  }
}
