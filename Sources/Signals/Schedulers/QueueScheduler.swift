public import Dispatch

/// A scheduler that runs work on a serial Dispatch queue.
///
/// Work never runs before `schedule` returns, even if it is scheduled from the queue itself. One
/// timer waits for the earliest deadline; disposed work leaves nothing behind.
public final class QueueScheduler: Scheduler {
  /// The main queue; its work runs only in a program that runs its main loop.
  public static let main = QueueScheduler(.main)

  /// A serial background queue, shared by all its users: work that takes long delays the others',
  /// and belongs on a queue of its own.
  public static let background = QueueScheduler(label: "signals.background")

  private let queue: DispatchQueue
  private let delayed = Lock(Delayed())

  /// The work that is waiting for its deadline, and the timer for the earliest one.
  private struct Delayed {
    var timetable = Timetable()
    var timer: (any DispatchSourceTimer)?

    /// Sets the timer for the earliest deadline, unless it is set for one before.
    mutating func setTimer() {
      guard let deadline = timetable.nextWakeUp() else { return }
      timer?.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline))
    }
  }

  /// Makes a scheduler with its own serial queue.
  ///
  /// - Parameters:
  ///   - label: The name of the queue in debuggers and crash reports.
  ///   - qos: The priority of its work.
  public convenience init(label: String, qos: DispatchQoS = .unspecified) {
    self.init(DispatchQueue(label: label, qos: qos))
  }

  /// Makes a scheduler whose work runs on an existing queue.
  ///
  /// - Parameter queue: The queue. If it is concurrent, the work of this scheduler still runs
  ///   serially.
  public convenience init(queue: DispatchQueue) {
    self.init(DispatchQueue(label: queue.label, target: queue))
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
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let item = DelayedWork(work, on: self)
    let isDue = delay <= .zero
    delayed.withLock { delayed in
      let deadline = DispatchTime.now() + delay.dispatchInterval
      delayed.timetable.add(item, deadline: deadline.uptimeNanoseconds)
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
    while let work = delayed.withLock({ $0.timetable.takeFirst(at: now) }) { work.run() }
    delayed.withLock { delayed in
      delayed.timetable.wakeUpIsOver()
      delayed.setTimer()
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
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + delay.dispatchInterval,
      repeating: max(interval, .microseconds(1)).dispatchInterval)
    timer.setEventHandler(handler: work)
    timer.resume()
    return RepeatingWork(timer)
  }
}

extension QueueScheduler: DelayedWorkOwner {
  func removeDisposedWork() {
    delayed.withLock { $0.timetable.removeDisposedWork() }
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
  fileprivate var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(nanoseconds)) }
}
