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
  private let delayed = Lock(Delayed())

  /// The work that is waiting for its deadline, and the timer for the earliest one.
  private struct Delayed {
    var works = DeadlineQueue<DelayedWork>()
    /// The number of works in the queue that have been disposed.
    var disposedCount = 0
    var timer: (any DispatchSourceTimer)?
    /// The deadline for which the timer is set; `UInt64.max` for none.
    var timerDeadline = UInt64.max

    /// Removes and returns the work that is due first at a time.
    mutating func takeFirst(at time: UInt64) -> DelayedWork.Work? {
      while let deadline = works.firstDeadline, deadline <= time {
        if let work = works.popFirst()?.take() { return work }
        disposedCount -= 1
      }
      return nil
    }

    /// Sets the timer for the earliest deadline, unless it is set for one before.
    mutating func setTimer() {
      guard let deadline = works.firstDeadline, deadline < timerDeadline else { return }
      timerDeadline = deadline
      timer?.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline))
    }
  }

  /// Makes a scheduler with its own serial queue.
  ///
  /// - Parameter label: The name of the queue in debuggers and crash reports.
  public convenience init(label: String) {
    self.init(DispatchQueue(label: label))
  }

  private init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  deinit {
    delayed.withLock { $0.timer?.cancel() }
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
    let item = DelayedWork(work, on: self)
    let isDue = delay <= .zero
    delayed.withLock { delayed in
      let deadline = DispatchTime.now() + delay.dispatchInterval
      delayed.works.add(item, deadline: deadline.uptimeNanoseconds)
      if isDue { return }
      if delayed.timer == nil { delayed.timer = makeTimer() }
      delayed.setTimer()
    }
    // In its turn, also after work that is due and whose timer has not fired yet.
    if isDue { queue.async { self.runDueWork() } }
    return item
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.runDueWork() }
    timer.resume()
    return timer
  }

  private func runDueWork() {
    let now = DispatchTime.now().uptimeNanoseconds
    while let work = delayed.withLock({ $0.takeFirst(at: now) }) { work.run() }
    delayed.withLock { delayed in
      delayed.timerDeadline = .max
      delayed.setTimer()
    }
  }

  /// Removes disposed work once it is half of what is waiting.
  fileprivate func countDisposedWork() {
    delayed.withLock { delayed in
      delayed.disposedCount += 1
      guard delayed.disposedCount > 32, delayed.disposedCount > delayed.works.count / 2 else {
        return
      }
      // Nothing is released inside the lock: disposed work has released its closure.
      delayed.works.removeAll { $0.isDisposed }
      delayed.disposedCount = 0
    }
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

/// Work that is waiting for its deadline; it keeps its scheduler alive until it begins or is
/// disposed.
private final class DelayedWork: Disposable {
  typealias Work = (run: @Sendable () -> Void, scheduler: QueueScheduler)

  private let work: Lock<Work?>

  init(_ run: @escaping @Sendable () -> Void, on scheduler: QueueScheduler) {
    work = Lock((run, scheduler))
  }

  var isDisposed: Bool { work.withLock { $0 == nil } }

  func dispose() {
    take()?.scheduler.countDisposedWork()
  }

  func take() -> Work? {
    work.withLock { $0.take() }
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
