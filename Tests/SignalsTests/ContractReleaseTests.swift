import Locks
import Signals
import Testing

/// Values, closures and observers are released outside of all locks: their deinit may do anything.
@Suite(.timeLimit(.minutes(1))) struct ContractReleaseTests {
  /// A value that does something when it is released.
  private final class Farewell: Sendable {
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
      self.work = work
    }

    deinit {
      work()
    }
  }

  @Test func `values that wait for a reader are released outside of its lock when it is canceled`()
    async
  {
    let subject = Subject<Farewell?, Never>()
    let farewells = Counter()
    let hasSent = ReplaySubject<Void, Never>()
    let task = Task {
      var iterator = subject.signal.values.makeAsyncIterator()
      for _ in 0..<3 {
        subject.send(
          Farewell {
            farewells.increment()
            subject.send(nil)
          }
        )
      }
      hasSent.send(())
      // Canceled while the values wait.
      _ = await Signal<Void, Never>.never.first()
      return await iterator.next() == nil
    }
    _ = await hasSent.signal.first()
    task.cancel()
    #expect(await task.value)
    #expect(farewells.value == 3)
  }

  @Test func `a value that a property replaces is released outside of its lock`() {
    let property = Property<Farewell?>(nil)
    let farewells = Counter()
    property.value = Farewell { [weak property] in
      farewells.increment()
      property?.value = nil
    }
    property.value = nil
    property.value = nil
    #expect(farewells.value == 1)
  }

  @Test func `a value that a behavior subject replaces is released outside of its lock`() {
    let subject = BehaviorSubject<Farewell?, Never>(nil)
    let seen = Counter()
    subject.signal.subscribe(next: { _ in seen.increment() })
    subject.send(Farewell { [weak subject] in subject?.send(nil) })
    subject.send(nil)
    #expect(seen.value == 4)
  }
}
