public import Signals

/// A scheduler whose time passes only when a test advances it.
///
/// Nothing sleeps: ``advance(by:)`` runs the work that has become due, in the order of its
/// deadlines and, for equal deadlines, in the order in which it was scheduled. Work runs serially
/// on the thread that advances, outside the scheduler's lock, so it may schedule more.
///
/// ```swift
/// let scheduler = TestScheduler()
/// scheduler.schedule(after: .seconds(2)) { print("two seconds later") }
/// scheduler.advance(by: .seconds(1))  // nothing yet
/// scheduler.advance(by: .seconds(1))
/// ```
///
/// Any thread may schedule; only one thread at a time may advance.
public final class TestScheduler: Scheduler {
  /// A time that is never reached, and the end of virtual time; later deadlines are limited to it.
  private static let never = Duration(
    secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)

  private struct State {
    var now = Duration.zero
    /// The work that is due next comes last; of equal deadlines, the work that was scheduled first.
    var waiting: [ScheduledWork] = []
  }

  private let state = Lock(State())

  /// Makes a scheduler whose time is zero.
  public init() {}

  /// The virtual time since the scheduler was made.
  public var now: Duration { state.withLock { $0.now } }

  /// The amount of work that is waiting for its deadline, without disposed work.
  public var pendingCount: Int {
    state.withLock { $0.waiting }.count { !$0.isDisposed }
  }

  /// Schedules work for the next time that the scheduler advances.
  ///
  /// - Parameter work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    schedule(after: .zero, work)
  }

  /// Schedules work after a delay.
  ///
  /// - Parameters:
  ///   - delay: The delay in virtual time. Negative counts as zero; a deadline after 2^63 seconds
  ///     is never reached.
  ///   - work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    enqueue(ScheduledWork(work, interval: nil), after: delay)
  }

  /// Schedules work repeatedly.
  ///
  /// - Parameters:
  ///   - delay: The delay before the first run, in virtual time.
  ///   - interval: The time between two runs; at least a microsecond.
  ///   - work: The work.
  /// - Returns: A disposable that ends the repetition.
  @discardableResult
  public func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    enqueue(ScheduledWork(work, interval: max(interval, .microseconds(1))), after: delay)
  }

  /// Advances time, and runs the work that becomes due meanwhile.
  ///
  /// - Parameter duration: The time to advance by; zero runs the work that is due now.
  public func advance(by duration: Duration = .zero) {
    advance(to: Self.sum(now, max(duration, .zero)))
  }

  /// Advances time to a moment, and runs the work that becomes due meanwhile.
  ///
  /// - Parameter deadline: The virtual time to advance to; a time in the past changes nothing.
  public func advance(to deadline: Duration) {
    while let work = takeNext(until: deadline) { perform(work) }
    state.withLock { $0.now = max($0.now, min(deadline, Self.never)) }
  }

  /// Advances time until no work is waiting; never returns while work repeats.
  public func run() {
    while let work = takeNext(until: nil) { perform(work) }
  }

  /// Returns the sum of two nonnegative times, at most ``never``.
  private static func sum(_ time: Duration, _ duration: Duration) -> Duration {
    duration >= never - time ? never : time + duration
  }

  private func perform(_ work: ScheduledWork) {
    work.run()
    if let interval = work.interval, !work.isDisposed {
      enqueue(work, after: interval)
    }
  }

  @discardableResult
  private func enqueue(_ work: ScheduledWork, after delay: Duration) -> ScheduledWork {
    state.withLock { state in
      work.deadline = Self.sum(state.now, max(delay, .zero))
      var low = 0
      var high = state.waiting.count
      while low < high {
        let middle = (low + high) / 2
        if state.waiting[middle].deadline > work.deadline {
          low = middle + 1
        } else {
          high = middle
        }
      }
      state.waiting.insert(work, at: low)
    }
    return work
  }

  /// Removes the work that is due first, and advances time to its deadline.
  private func takeNext(until limit: Duration?) -> ScheduledWork? {
    state.withLock { state in
      while let next = state.waiting.last {
        if next.isDisposed {
          state.waiting.removeLast()
          continue
        }
        if next.deadline >= Self.never { return nil }
        if let limit, next.deadline > limit { return nil }
        state.waiting.removeLast()
        state.now = max(state.now, next.deadline)
        return next
      }
      return nil
    }
  }
}

/// Work that is waiting for its deadline.
private final class ScheduledWork: Disposable {
  let interval: Duration?
  // nonisolated(unsafe) because it is touched only inside the scheduler's lock.
  nonisolated(unsafe) var deadline = Duration.zero
  private let work: Lock<(@Sendable () -> Void)?>

  init(_ work: @escaping @Sendable () -> Void, interval: Duration?) {
    self.work = Lock(work)
    self.interval = interval
  }

  var isDisposed: Bool { work.withLock { $0 == nil } }

  func run() {
    let current = work.withLock { work in
      defer { if interval == nil { work = nil } }
      return work
    }
    current?()
  }

  func dispose() {
    let discarded = work.withLock { work in
      defer { work = nil }
      return work
    }
    _ = discarded
  }
}
