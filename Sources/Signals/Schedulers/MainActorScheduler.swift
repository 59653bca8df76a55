internal import Dispatch
internal import Synchronization

/// A scheduler that runs work on the main actor.
///
/// Work that is scheduled on the main actor while nothing else waits runs at once, so that a screen
/// shows in the same turn what was caused there; all other work waits for its turn on the main
/// queue. In either case it runs in the order in which it was scheduled, one piece after the other.
/// The program must run its main loop, which one with an `async` entry point does.
///
/// ```swift
/// let texts = results.deliver(on: MainActorScheduler())
/// ```
///
/// All instances are one scheduler.
public struct MainActorScheduler: Scheduler {
  private static let turns = Turns()

  /// Makes one; all are alike.
  public init() {}

  /// The time since the machine was started, without the time that it slept.
  public var now: Duration { QueueScheduler.main.now }

  /// Runs work on the main actor, at once when that is where it is scheduled and nothing waits.
  ///
  /// - Parameter work: What is run once; it may assume the isolation of the main actor.
  /// - Returns: What cancels the work, if it has not begun.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    Self.turns.schedule(CancellableWork(work))
  }

  /// Runs work on the main actor, later.
  ///
  /// - Parameters:
  ///   - delay: How long to wait; by the clock that stands still while the machine sleeps.
  ///   - work: What is run once; it may assume the isolation of the main actor.
  /// - Returns: What cancels the work, if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    QueueScheduler.main.schedule(after: delay, work)
  }

  /// Runs work on the main actor again and again.
  ///
  /// - Parameters:
  ///   - delay: How long to wait for the first time.
  ///   - interval: The time from one beginning to the next; at least a microsecond.
  ///   - work: What is run; it may assume the isolation of the main actor.
  /// - Returns: What ends the repetition.
  @discardableResult
  public func schedule(
    after delay: Duration,
    repeating interval: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    QueueScheduler.main.schedule(after: delay, repeating: interval, work)
  }

  /// The work that waits for the main queue or runs on it, and where that is.
  private final class Turns: Sendable {
    /// Marks the main queue: its thread changes on Linux, once the main loop runs.
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
