import Dispatch
import Signals
import SignalsTesting

/// The error of tests that need one that prints well.
struct Trouble: Error, Equatable {
  var number = 0
}

/// Subscribes, and returns what was sent before `subscribe` returned.
func events<Value, Failure>(of signal: Signal<Value, Failure>) -> [Event<Value, Failure>] {
  let events = Lock<[Event<Value, Failure>]>([])
  let subscription = signal.subscribe(
    next: { value in events.withLock { $0.append(.next(value)) } },
    failed: { error in events.withLock { $0.append(.failed(error)) } },
    completed: { events.withLock { $0.append(.completed) } })
  subscription.dispose()
  return events.withLock { $0 }
}

/// Subscribes, and returns the values that were sent before `subscribe` returned.
func values<Value, Failure>(of signal: Signal<Value, Failure>) -> [Value] {
  events(of: signal).compactMap { if case .next(let value) = $0 { value } else { nil } }
}

/// A number that several threads count up.
final class Counter: Sendable {
  private let count = Lock(0)

  var value: Int { count.withLock { $0 } }

  func increment() {
    count.withLock { $0 += 1 }
  }
}

/// An endless sequence that can be iterated again and again.
struct Naturals: Sequence, Sendable {
  func makeIterator() -> some IteratorProtocol<Int> {
    (0...).makeIterator()
  }
}

/// Runs work on threads of its own, all at the same time, and returns when all are done.
func inParallel(_ threads: Int, _ work: @escaping @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: threads, execute: work)
}

/// Sees whether two threads were in the same place at the same time.
final class Overlap: Sendable {
  private let inside = Lock(0)
  private let passed = Counter()
  private let seen = Counter()

  var count: Int { passed.value }
  var wasSeen: Bool { seen.value > 0 }

  func pass(_ value: Int) {
    let others = inside.withLock { inside in
      inside += 1
      return inside - 1
    }
    if others > 0 { seen.increment() }
    passed.increment()
    inside.withLock { $0 -= 1 }
  }
}
