public import Synchronization

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
final class SubjectCore<Memory: SubjectMemory, Failure: Error>: Sendable {
  @usableFromInline typealias Value = Memory.Value
  @usableFromInline typealias Slot = SubjectSlot<Memory, Failure>

  @usableFromInline
  enum Operation: Sendable {
    case next(Value)
    case end(End<Failure>)
    case add(Slot)
    case remove(Slot)
    case removeAll
  }

  @usableFromInline let gate = OwnershipGate<Operation>()

  // The next five: nonisolated(unsafe) because only the gate's owner touches them, and without
  // exclusivity checks for the same reason (they cost a tenth of a send).
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var memory: Memory
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var end: End<Failure>?
  /// Whether the shell has gone: nothing will be sent any more.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var isAbandoned = false
  /// The observers in the order in which they came; `nil` where one has gone.
  ///
  /// Retained by hand, so that walking over them costs no retain and release, which are dearer than
  /// the call.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var slots: ContiguousArray<Unmanaged<Slot>?> = []
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var gaps = 0

  @inlinable
  init(memory: Memory) {
    self.memory = memory
  }

  deinit {
    for slot in slots { slot?.release() }
  }

  /// What a holder may subscribe, and no more.
  @inlinable var signal: Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in
      let slot = Slot(observer, core: self, subscription)
      subscription.add(slot)
      self.submit(.add(slot))
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
  func submit(_ operation: Operation) {
    if gate.enter() {
      perform(operation)
      if !gate.leave() { drain() }
    } else if gate.queue(operation) {
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
    case .remove(let slot): remove(slot)
    case .removeAll: removeAll()
    }
  }

  @inlinable
  func send(_ value: Value) {
    guard end == nil else { return }
    // A memory of no size shares its address with the object's header; changing it, if only in
    // name, is a race to ThreadSanitizer.
    if Memory.isKept { memory.record(value) }
    slots.withUnsafeBufferPointer { slots in
      for slot in slots {
        slot?._withUnsafeGuaranteedRef { slot in
          if slot.isLive { slot.observer.onNext(value) }
        }
      }
    }
  }

  @inlinable
  func finish(_ end: End<Failure>) {
    guard self.end == nil else { return }
    self.end = end
    let finished = slots
    slots = []
    gaps = 0
    for slot in finished {
      guard let slot = slot?.takeRetainedValue() else { continue }
      slot.index = nil
      if slot.stop() { slot.observer.onEnd(end) }
    }
  }

  @inlinable
  func insert(_ slot: Slot) {
    guard slot.isLive else { return }
    if end == nil || Memory.outlivesEnd {
      memory.replay(while: { slot.isLive }, to: { slot.observer.onNext($0) })
    }
    if let end {
      if slot.stop() { slot.observer.onEnd(end) }
    } else if isAbandoned {
      slot.subscription.remove(slot)
    } else if slot.isLive {
      slot.index = slots.count
      slots.append(.passRetained(slot))
    }
  }

  @inlinable
  func remove(_ slot: Slot) {
    guard let index = slot.index else { return }
    slot.index = nil
    slots[index]?.release()
    slots[index] = nil
    gaps += 1
    while let last = slots.last, last == nil {
      slots.removeLast()
      gaps -= 1
    }
    if gaps > 16, gaps > slots.count / 2 { closeGaps() }
  }

  @inlinable
  func closeGaps() {
    slots.removeAll { $0 == nil }
    gaps = 0
    for (index, slot) in slots.enumerated() {
      slot?._withUnsafeGuaranteedRef { $0.index = index }
    }
  }

  @inlinable
  func removeAll() {
    isAbandoned = true
    let abandoned = slots
    slots = []
    gaps = 0
    for slot in abandoned {
      guard let slot = slot?.takeRetainedValue() else { continue }
      slot.index = nil
      slot.subscription.remove(slot)
    }
  }
}

/// One observer in a subject's list; disposing it ends its subscription.
@usableFromInline
final class SubjectSlot<Memory: SubjectMemory, Failure: Error>: Disposable {
  @usableFromInline let observer: Observer<Memory.Value, Failure>
  @usableFromInline let core: SubjectCore<Memory, Failure>
  /// Holds the slot, and is held by what the observer captures; opened when the core goes.
  @usableFromInline let subscription: CompositeDisposable
  @usableFromInline let live = Atomic(true)
  // nonisolated(unsafe) because only the owner of the core's gate touches it.
  @usableFromInline nonisolated(unsafe) var index: Int?

  @inlinable
  init(
    _ observer: Observer<Memory.Value, Failure>,
    core: SubjectCore<Memory, Failure>,
    _ subscription: CompositeDisposable
  ) {
    self.observer = observer
    self.core = core
    self.subscription = subscription
  }

  @inlinable var isLive: Bool { live.load(ordering: .relaxed) }

  @inlinable var isDisposed: Bool { !live.load(ordering: .acquiring) }

  /// Lets no further event through.
  ///
  /// - Returns: Whether this call did it.
  @inlinable
  func stop() -> Bool {
    live.exchange(false, ordering: .acquiringAndReleasing)
  }

  @inlinable
  func dispose() {
    if stop() { core.submit(.remove(self)) }
  }
}
