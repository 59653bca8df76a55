internal import Dispatch
internal import Locks

/// A scheduler that runs work on a serial Dispatch queue, one piece after the other.
///
/// Scheduling is always asynchronous, also from the queue itself.
public final class QueueScheduler: Scheduler {
  /// The main queue; it runs only in a program that runs its main loop.
  public static let main = QueueScheduler(.main)

  /// A serial queue in the background, shared by all who ask for it.
  public static let background = QueueScheduler(label: "signals.background")

  private let queue: DispatchQueue
  /// Work that waits for its time.
  private let waiting = Lock(DeadlineQueue<CancellableWork>())

  /// Makes a scheduler with a serial queue of its own.
  ///
  /// - Parameter label: What debuggers and crash reports call the queue.
  public convenience init(label: String) {
    self.init(DispatchQueue(label: label))
  }

  private init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  /// The time since the machine was started, without the time that it slept.
  public var now: Duration {
    .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// Runs work on the queue, after all that was scheduled before.
  ///
  /// - Parameter work: What is run once.
  /// - Returns: What cancels the work, if it has not begun.
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
  ///   - delay: How long to wait; by the clock that stands still while the machine sleeps. What
  ///     Dispatch cannot count to, nearly three centuries, is for ever.
  ///   - work: What is run once.
  /// - Returns: What cancels the work, if it has not begun.
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
    // A timer runs what is due first, not its own: timers of nearly the same time may overtake each
    // other, and there is one for each piece of work.
    queue.asyncAfter(deadline: deadline) { self.runFirst() }
    return item
  }

  /// Runs what is due first; something is, when a timer has fired.
  private func runFirst() {
    let first = waiting.withLock { $0.popFirst() }
    first?.run()
  }

  /// Runs work on the queue again and again.
  ///
  /// - Parameters:
  ///   - delay: How long to wait for the first time.
  ///   - interval: The time from one beginning to the next; at least a microsecond.
  ///   - work: What is run; a run that is missed because the queue is busy is left out.
  /// - Returns: What ends the repetition.
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
// @unchecked Sendable because a Dispatch source may be used from any thread; the type does not say.
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
  /// The same in whole nanoseconds, at least zero, as far as Dispatch can count.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    if self <= .zero { return .nanoseconds(0) }
    if self >= .nanoseconds(Int64.max) { return .nanoseconds(Int(Int64.max)) }
    let (seconds, attoseconds) = components
    return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}
