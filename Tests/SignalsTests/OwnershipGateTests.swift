import Dispatch
@testable import Signals
import Testing

// The gate is not public; its users would show only what goes wrong, not where.

/// What the one mechanism promises on which subjects, joins, commands and created signals rest.
@Suite struct OwnershipGateTests {
  /// A gate in a place that threads can share, and that an expectation can look at.
  private final class Gate<Operation: Sendable>: Sendable {
    private let gate = OwnershipGate<Operation>()

    func enter() -> Bool { gate.enter() }
    func leave() -> Bool { gate.leave() }
    func close() { gate.close() }
    func closeIfIdle() -> Bool { gate.closeIfIdle() }
    func queue(_ operation: Operation) -> Bool { gate.queue(operation) }
    func takeQueued() -> [Operation] {
      var operations: [Operation] = []
      var oldest: UInt = 0
      while let next = gate.takeNext(&oldest) { operations.append(next.operation) }
      return operations
    }
  }

  @Test func `one owner at a time, until it leaves`() {
    let gate = Gate<Int>()
    #expect(gate.enter())
    #expect(!gate.enter())
    #expect(gate.leave())
    #expect(gate.enter())
  }

  @Test func `the owner cannot leave before it has taken what was queued, in its order`() {
    let gate = Gate<Int>()
    #expect(gate.enter())
    for number in 1...5 { #expect(!gate.queue(number)) }
    #expect(!gate.leave())
    #expect(gate.takeQueued() == [1, 2, 3, 4, 5])
    #expect(gate.leave())
  }

  @Test func `who queues at a gate that was left becomes the owner`() {
    let gate = Gate<Int>()
    #expect(gate.queue(1))
    #expect(!gate.enter())
    #expect(gate.takeQueued() == [1])
    #expect(gate.leave())
  }

  @Test func `a closed gate lets nobody in, takes nothing, and lets go of what was queued`() {
    weak var queued: Counter?
    weak var late: Counter?
    let gate = Gate<Counter>()
    do {
      let counter = Counter()
      queued = counter
      #expect(gate.enter())
      #expect(!gate.queue(counter))
    }
    #expect(queued != nil)
    gate.close()
    #expect(queued == nil)
    do {
      let counter = Counter()
      late = counter
      #expect(!gate.queue(counter))
    }
    #expect(late == nil)
    #expect(!gate.enter())
    #expect(!gate.closeIfIdle())
  }

  @Test func `a gate is closed from outside only when nobody is inside`() {
    let gate = Gate<Int>()
    #expect(gate.enter())
    #expect(!gate.closeIfIdle())
    #expect(gate.leave())
    #expect(gate.closeIfIdle())
    #expect(!gate.enter())
  }

  @Test func `a long queue is let go of without growing the stack`() {
    let gate = Gate<Int>()
    #expect(gate.enter())
    for number in 0..<200_000 { _ = gate.queue(number) }
    gate.close()
    #expect(!gate.enter())
  }

  @Test func `of many threads each operation is performed once, and those of one thread in order`()
  {
    let gate = Gate<(thread: Int, number: Int)>()
    let performed = Lock<[[Int]]>(Array(repeating: [], count: 4))
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<5_000 {
        if !gate.queue((thread, number)) { continue }
        repeat {
          for operation in gate.takeQueued() {
            performed.withLock { $0[operation.thread].append(operation.number) }
          }
        } while !gate.leave()
      }
    }
    #expect(performed.withLock { $0 } == Array(repeating: Array(0..<5_000), count: 4))
  }

  @Test func `a subscriber that is disposed while it receives is let go of, whoever disposes`() {
    weak var seen: Counter?
    let held = Lock<Observer<Int, Never>?>(nil)
    let source = Signal<Int, Never> { observer in
      held.withLock { $0 = observer }
      return nil
    }
    let subscription = SerialDisposable()
    do {
      let counter = Counter()
      seen = counter
      subscription.replace(
        with: source.subscribe(next: { _ in
          counter.increment()
          DispatchQueue.global().sync { subscription.dispose() }
        })
      )
    }
    held.withLock { $0 }?.send(1)
    // The source still has its observer, but nothing behind it.
    #expect(seen == nil)
    held.withLock { $0 }?.send(2)
  }
}
