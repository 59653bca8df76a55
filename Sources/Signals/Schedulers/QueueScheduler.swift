internal import Dispatch
internal import Locks

/// A scheduler that runs work on a serial Dispatch queue.
///
/// Work never runs before `schedule` returns, even if it is scheduled from the queue itself.
public final class QueueScheduler: Scheduler {
  /// The main queue; its work runs only in a program that runs its main loop.
  public static let main = QueueScheduler(.main)

  /// A serial background queue, shared by all its users.
  public static let background = QueueScheduler(label: "signals.background")

  private let queue: DispatchQueue
  /// Work that is waiting for its deadline.
  private let waiting = Lock(DeadlineQueue<CancellableWork>())

  /// Makes a scheduler with its own serial queue.
  ///
  /// - Parameter label: The name of the queue in debuggers and crash reports.
  public convenience init(label: String) {
    self.init(DispatchQueue(label: label))
  }

  private init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  /// The time since the machine started, without the time that it slept.
  public var now: Duration {
    .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// Runs work on the queue, after all work that was scheduled before.
  ///
  /// - Parameter work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    let item = CancellableWork(work)
    queue.async { item.run() }
    return item
  }

  /// Runs work on the queue, later.
  ///
  /// Equal deadlines run in the order in which they were scheduled, however busy the machine is.
  ///
  /// - Parameters:
  ///   - delay: The delay, measured by a clock that stops while the machine sleeps. A delay beyond
  ///     the range of Dispatch, almost three centuries, never elapses.
  ///   - work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let item = CancellableWork(work)
    let deadline: DispatchTime = waiting.withLock { waiting in
      let deadline = DispatchTime.now() + delay.dispatchInterval
      waiting.add(item, deadline: deadline.uptimeNanoseconds)
      return deadline
    }
    // A timer runs the work that is due first instead of its own: timers for nearly the same time
    // may fire out of order, and there is one timer for each piece of work.
    queue.asyncAfter(deadline: deadline) { self.runFirst() }
    return item
  }

  /// Runs the work that is due first; there is always some when a timer has fired.
  private func runFirst() {
    let first = waiting.withLock { $0.popFirst() }
    first?.run()
  }

  /// Runs work on the queue repeatedly.
  ///
  /// - Parameters:
  ///   - delay: The delay before the first run.
  ///   - interval: The time between the beginnings of two runs; at least a microsecond.
  ///   - work: The work; runs that are missed because the queue is busy are skipped.
  /// - Returns: A disposable that ends the repetition.
  @discardableResult
  public func schedule(
    after delay: Duration,
    repeating interval: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + delay.dispatchInterval,
      repeating: max(interval, .microseconds(1)).dispatchInterval
    )
    timer.setEventHandler(handler: work)
    timer.resume()
    return RepeatingWork(timer)
  }
}

/// A running timer.
// @unchecked Sendable because a Dispatch source may be used from any thread, which its type does
// not declare.
private final class RepeatingWork: Disposable, @unchecked Sendable {
  private let timer: any DispatchSourceTimer

  init(_ timer: any DispatchSourceTimer) {
    self.timer = timer
  }

  var isDisposed: Bool { timer.isCancelled }

  func dispose() {
    timer.cancel()
  }
}

extension Duration {
  /// The same in whole nanoseconds, at least zero, limited to the range of Dispatch.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    if self <= .zero { return .nanoseconds(0) }
    if self >= .nanoseconds(Int64.max) { return .nanoseconds(Int(Int64.max)) }
    let (seconds, attoseconds) = components
    return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}
