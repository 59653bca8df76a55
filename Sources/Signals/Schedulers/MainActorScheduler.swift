internal import Dispatch
internal import Synchronization

/// A scheduler that runs work on the main actor.
///
/// Work that is scheduled on the main actor while no other work is waiting runs immediately, so
/// that the user interface is updated in the same turn of the main loop; all other work waits for
/// its turn on the main queue. In either case work runs serially, in the order in which it was
/// scheduled. The program must run its main loop, as programs with an `async` entry point do.
///
/// ```swift
/// let texts = results.deliver(on: MainActorScheduler())
/// ```
///
/// All instances share one state.
public struct MainActorScheduler: Scheduler {
  private static let turns = Turns()

  /// Makes a scheduler; all instances are equivalent.
  public init() {}

  /// The time since the machine started, without the time that it slept.
  public var now: Duration { QueueScheduler.main.now }

  /// Runs work on the main actor, immediately if it is scheduled there and no other work is
  /// waiting.
  ///
  /// - Parameter work: The work, which runs once, isolated to the main actor.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    Self.turns.schedule(CancellableWork(work))
  }

  /// Runs work on the main actor, later.
  ///
  /// - Parameters:
  ///   - delay: The delay, measured by a clock that stops while the machine sleeps.
  ///   - work: The work, which runs once, isolated to the main actor.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    QueueScheduler.main.schedule(after: delay, work)
  }

  /// Runs work on the main actor repeatedly.
  ///
  /// - Parameters:
  ///   - delay: The delay before the first run.
  ///   - interval: The time between the beginnings of two runs; at least a microsecond.
  ///   - work: The work, isolated to the main actor.
  /// - Returns: A disposable that ends the repetition.
  @discardableResult
  public func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    QueueScheduler.main.schedule(after: delay, repeating: interval, work)
  }

  /// The work that is waiting for the main queue or running on it.
  private final class Turns: Sendable {
    /// A mark on the main queue; on Linux, the main thread changes once the main loop runs.
    private let key = DispatchSpecificKey<Bool>()
    private let pending = Atomic(0)

    init() {
      DispatchQueue.main.setSpecific(key: key, value: true)
    }

    func schedule(_ work: CancellableWork) -> any Disposable {
      let others = pending.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
      if others == 0, DispatchQueue.getSpecific(key: key) == true {
        run(work)
      } else {
        DispatchQueue.main.async { self.run(work) }
      }
      return work
    }

    private func run(_ work: CancellableWork) {
      work.run()
      pending.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }
  }
}
