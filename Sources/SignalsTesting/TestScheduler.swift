internal import Locks
public import Signals

/// A scheduler whose time passes only when a test says so.
///
/// Nothing sleeps: ``advance(by:)`` runs what has become due, in the order of time, and what is due
/// at the same time in the order in which it was scheduled. Work runs on the thread that advances,
/// one piece after the other, outside the scheduler's lock, so it may schedule more.
///
/// ```swift
/// let scheduler = TestScheduler()
/// scheduler.schedule(after: .seconds(2)) { print("two seconds later") }
/// scheduler.advance(by: .seconds(1))  // nothing yet
/// scheduler.advance(by: .seconds(1))
/// ```
///
/// Any thread may schedule; only one at a time may advance.
public final class TestScheduler: Scheduler {
  /// A time that never comes: deadlines that are as late or later, and the end of virtual time.
  private static let never = Duration(
    secondsComponent: .max,
    attosecondsComponent: 999_999_999_999_999_999
  )

  private struct State {
    var now = Duration.zero
    /// What is due next comes last; of equal deadlines, what was scheduled first.
    var waiting: [ScheduledWork] = []
  }

  private let state = Lock(State())

  /// Makes one whose time is zero.
  public init() {}

  /// The virtual time since the scheduler was made.
  public var now: Duration { state.withLock { $0.now } }

  /// How much work waits for its time; what was disposed does not count.
  public var pendingCount: Int {
    state.withLock { $0.waiting }.count { !$0.isDisposed }
  }

  /// Lets work wait for the next time that the scheduler advances.
  ///
  /// - Parameter work: What is run once.
  /// - Returns: What cancels the work, if it has not begun.
  @discardableResult
  public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    schedule(after: .zero, work)
  }

  /// Lets work wait for its time.
  ///
  /// - Parameters:
  ///   - delay: How long, in virtual time. Negative counts as zero; what ends after 2^63 seconds never
  ///     does.
  ///   - work: What is run once.
  /// - Returns: What cancels the work, if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    enqueue(ScheduledWork(work, interval: nil), after: delay)
  }

  /// Lets work wait for its time, again and again.
  ///
  /// - Parameters:
  ///   - delay: How long until the first run, in virtual time.
  ///   - interval: The time from one run to the next; at least a microsecond.
  ///   - work: What is run.
  /// - Returns: What ends the repetition.
  @discardableResult
  public func schedule(
    after delay: Duration,
    repeating interval: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    enqueue(ScheduledWork(work, interval: max(interval, .microseconds(1))), after: delay)
  }

  /// Lets time pass, and runs what becomes due meanwhile.
  ///
  /// - Parameter duration: How much time; zero runs what is due now.
  public func advance(by duration: Duration = .zero) {
    advance(to: Self.sum(now, max(duration, .zero)))
  }

  /// Lets time pass until a moment, and runs what becomes due meanwhile.
  ///
  /// - Parameter deadline: The virtual time afterwards; one in the past changes nothing.
  public func advance(to deadline: Duration) {
    while let work = takeNext(until: deadline) { perform(work) }
    state.withLock { $0.now = max($0.now, min(deadline, Self.never)) }
  }

  /// Lets time pass until no work waits; never returns while something repeats.
  public func run() {
    while let work = takeNext(until: nil) { perform(work) }
  }

  /// The sum of two times from zero on, or ``never``.
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

  /// Takes what is due first out of the list, and moves time to its deadline.
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

/// Work that waits for its time.
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
