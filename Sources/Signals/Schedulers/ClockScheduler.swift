/// A scheduler that waits on a clock of the standard library, and runs work serially.
///
/// A `ContinuousClock` also counts the time that the machine sleeps; tests bring clocks of their
/// own.
public final class ClockScheduler<ClockType: Clock>: Scheduler
where ClockType.Duration == Duration {
  private let clock: ClockType
  private let start: ClockType.Instant
  private let queue = QueueScheduler(label: "signals.clock")
  private let delayed = Lock(Delayed())

  /// The work that is waiting for its deadline, and the task that sleeps until the earliest one.
  private struct Delayed {
    var timetable = Timetable()
    var sleep: Task<Void, Never>?
  }

  /// Makes a scheduler with its own serial queue.
  ///
  /// - Parameter clock: The clock that measures the time.
  public init(_ clock: ClockType) {
    self.clock = clock
    start = clock.now
  }

  deinit {
    delayed.withLock { $0.sleep }?.cancel()
  }

  /// The time since the scheduler was made.
  public var now: Duration { start.duration(to: clock.now) }

  /// Runs work on the queue, after all work that was scheduled before.
  ///
  /// - Parameter work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    queue.schedule(work)
  }

  /// Runs work on the queue, later.
  ///
  /// - Parameters:
  ///   - delay: The delay. Beyond almost three centuries it never elapses.
  ///   - work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let item = DelayedWork(work, on: self)
    let (deadline, isLate) = now.nanoseconds.addingReportingOverflow(delay.nanoseconds)
    let former = delayed.withLock { delayed in
      delayed.timetable.add(item, deadline: isLate ? .max : deadline)
      return sleepIfNecessary(&delayed)
    }
    former?.cancel()
    return item
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
    let repetition = SerialDisposable()
    // Two centuries are as good as never, and sums of them do not overflow.
    let limit = Duration.seconds(6_000_000_000)
    repeatWork(
      work, every: min(max(interval, .microseconds(1)), limit),
      at: now + min(max(delay, .zero), limit), repetition)
    return repetition
  }

  private func repeatWork(
    _ work: @escaping @Sendable () -> Void, every interval: Duration, at time: Duration,
    _ repetition: SerialDisposable
  ) {
    let next = schedule(after: time - now) { [weak self] in
      guard let self else { return }
      let missed = Double((now - time).nanoseconds / interval.nanoseconds)
      repeatWork(work, every: interval, at: time + interval * (missed + 1), repetition)
      work()
    }
    repetition.replace(with: next)
  }

  /// Sleeps until the earliest deadline, unless a task is sleeping until one before.
  ///
  /// - Returns: The task that is no longer needed, for the caller to cancel.
  private func sleepIfNecessary(_ delayed: inout Delayed) -> Task<Void, Never>? {
    guard let deadline = delayed.timetable.nextWakeUp() else { return nil }
    defer {
      delayed.sleep = Task { [weak self, clock, start] in
        let time = start.advanced(by: .nanoseconds(Int64(clamping: deadline)))
        guard (try? await clock.sleep(until: time, tolerance: nil)) != nil else { return }
        self?.runDueWork()
      }
    }
    return delayed.sleep
  }

  private func runDueWork() {
    queue.schedule {
      let now = self.now.nanoseconds
      while let work = self.delayed.withLock({ $0.timetable.takeFirst(at: now) }) { work.run() }
      let former = self.delayed.withLock { delayed in
        delayed.timetable.wakeUpIsOver()
        return self.sleepIfNecessary(&delayed)
      }
      former?.cancel()
    }
  }
}

extension ClockScheduler: DelayedWorkOwner {
  func removeDisposedWork() {
    delayed.withLock { $0.timetable.removeDisposedWork() }
  }
}

extension Duration {
  /// The same in whole nanoseconds, at least zero, limited to the range of Dispatch.
  var nanoseconds: UInt64 {
    if self <= .zero { return 0 }
    if self >= .nanoseconds(Int64.max) { return UInt64(Int64.max) }
    let (seconds, attoseconds) = components
    return UInt64(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
