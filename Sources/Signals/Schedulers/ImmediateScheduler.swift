/// A scheduler that runs work at once, on the thread that schedules it.
///
/// Only work that is due now runs there; what has to wait is run by a queue in the background.
public struct ImmediateScheduler: Scheduler {
  private static let later = QueueScheduler.background

  /// Makes one; all are alike.
  public init() {}

  /// The time since the machine was started.
  public var now: Duration { Self.later.now }

  /// Runs the work before it returns.
  ///
  /// - Parameter work: What is run once.
  /// - Returns: A disposable that is disposed already.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    work()
    let done = CompositeDisposable()
    done.dispose()
    return done
  }

  /// Runs the work later, in the background.
  ///
  /// - Parameters:
  ///   - delay: How long to wait.
  ///   - work: What is run once.
  /// - Returns: What cancels the work, if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    Self.later.schedule(after: delay, work)
  }

  /// Runs the work later and again and again, in the background.
  ///
  /// - Parameters:
  ///   - delay: How long to wait for the first time.
  ///   - interval: The time from one beginning to the next.
  ///   - work: What is run.
  /// - Returns: What ends the repetition.
  @discardableResult
  public func schedule(
    after delay: Duration,
    repeating interval: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    Self.later.schedule(after: delay, repeating: interval, work)
  }
}
