/// A scheduler that runs work immediately, on the thread that schedules it.
///
/// Only work that is due now runs there; delayed work runs on a background queue.
public struct ImmediateScheduler: Scheduler {
  private static let later = QueueScheduler.background
  private static let done: CompositeDisposable = {
    let done = CompositeDisposable()
    done.dispose()
    return done
  }()

  /// Makes a scheduler; all instances are equivalent.
  public init() {}

  /// The time since the machine started.
  public var now: Duration { Self.later.now }

  /// Runs the work before it returns.
  ///
  /// - Parameter work: The work, which runs once.
  /// - Returns: A disposable that is already disposed.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    work()
    return Self.done
  }

  /// Runs the work later, on a background queue; without a delay, before it returns.
  ///
  /// - Parameters:
  ///   - delay: The delay.
  ///   - work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    delay > .zero ? Self.later.schedule(after: delay, work) : schedule(work)
  }

  /// Runs the work repeatedly after a delay, on a background queue.
  ///
  /// - Parameters:
  ///   - delay: The delay before the first run.
  ///   - interval: The time between the beginnings of two runs.
  ///   - work: The work.
  /// - Returns: A disposable that ends the repetition.
  @discardableResult
  public func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    Self.later.schedule(after: delay, repeating: interval, work)
  }
}
