internal import CMicrohttpd
internal import Glibc
internal import Platform
internal import Signals
internal import Synchronization

/// A thread that runs turns, the timers, and scheduled work.
///
/// A turn waits for its owner's sockets and for an eventfd of the loop, which interrupts that wait
/// when work is scheduled. Everything that a turn calls runs on this thread, so the state of the
/// sockets needs no lock.
// @unchecked Sendable because `timers`, `isStopping` and `onStop` are used on the loop's
// own thread only.
final class EventLoop: Scheduler, @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  private struct Inbox {
    var work: [Work] = []
    /// Whether the eventfd was written to since the loop last took work from the inbox.
    var isAwake = false
    var isRunning = false
    var isClosed = false
  }

  private let wakeUp: Int32
  private let inbox = Lock(Inbox())
  private let thread = Atomic<UInt>(0)
  // `timers` and `isStopping`: without exclusivity checks, which took 265 instructions in
  // each turn, because only the loop's own thread uses them.
  @exclusivity(unchecked)
  private var timers = TimerQueue()
  @exclusivity(unchecked)
  private var isStopping = false
  private var onStop: Work = {}

  init() throws(DaemonError) {
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeUp >= 0 else { throw .system(function: "eventfd", errorNumber: errno) }
  }

  deinit { Glibc.close(wakeUp) }

  /// Whether the caller is on the loop's thread.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Whether the thread has been started and accepts work.
  var isRunning: Bool { inbox.withLock { $0.isRunning } }

  // MARK: Scheduler

  var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The time of the kernel's next tick: not before `now` unless the tick is late, and at most a few
  /// milliseconds after it.
  ///
  /// It is precise enough as the start of a time that is measured in seconds, and costs a third of
  /// `now`.
  var nextTick: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) + Self.tickLength
  }

  /// The time between two ticks of the kernel.
  static let tickLength: Duration = {
    var time = timespec()
    clock_getres(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }()

  /// Runs work on the loop, without a handle to cancel it; callable from any thread.
  ///
  /// It costs one lock, and one wake-up for all work that is scheduled before the loop runs it.
  @discardableResult
  func run(_ work: @escaping Work) -> Bool {
    let (isClosed, needsWakeUp) = inbox.withLock { inbox in
      if inbox.isClosed { return (true, false) }
      inbox.work.append(work)
      defer { inbox.isAwake = true }
      return (false, !inbox.isAwake)
    }
    if needsWakeUp { eventfd_write(wakeUp, 1) }
    return !isClosed
  }

  @discardableResult
  func schedule(_ work: @escaping Work) -> any Disposable {
    let item = LoopTimer(deadline: .zero, interval: nil, work)
    // Run work on a closed loop immediately: it completes something, for example in the store.
    if !run({ item.run() }) { item.run() }
    return item
  }

  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping Work) -> any Disposable {
    addTimer(after: delay, repeating: nil, work)
  }

  @discardableResult
  func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping Work
  ) -> any Disposable {
    addTimer(after: delay, repeating: interval, work)
  }

  private func addTimer(
    after delay: Duration, repeating interval: Duration?, _ work: @escaping Work
  ) -> any Disposable {
    let timer = LoopTimer(
      deadline: now + min(max(delay, .zero), Self.longestTime),
      interval: interval.map { min(max($0, .microseconds(1)), Self.longestTime) }, work)
    run { self.timers.insert(timer) }
    return timer
  }

  /// The longest time that a timer waits, 272 years, so that no sum of times overflows.
  private static let longestTime = Duration.seconds(1 << 33)

  // MARK: The thread

  /// Starts the thread, which runs one turn after another from now on.
  ///
  /// The eventfd is registered edge-triggered: each write wakes the loop once, so the loop never has
  /// to read it, and cannot miss a write by reading too early.
  ///
  /// - Parameters:
  ///   - epoll: The epoll set on which a turn waits; the data of the eventfd's events is zero.
  ///   - turn: Waits for ready sockets, at most for a number of milliseconds unless it is -1, and
  ///     serves them. The thread retains it until it ends.
  func start(
    name: String, on epoll: Int32, turn: @escaping @Sendable (_ milliseconds: Int32) -> Void
  ) throws(DaemonError) {
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data())
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
      throw .system(function: "epoll_ctl", errorNumber: errno)
    }
    let work: Work = {
      self.thread.store(UInt(pthread_self()), ordering: .relaxed)
      self.runTurns(turn)
    }
    // The turn is released before the end of the loop is reported.
    guard NamedThread.start(name, work, end: { self.close() }) else {
      throw .system(function: "pthread_create", errorNumber: EAGAIN)
    }
    inbox.withLock { $0.isRunning = true }
  }

  /// Ends the thread after the work that has been scheduled so far.
  ///
  /// - Parameter stopped: Called on the loop's thread after its last call into libmicrohttpd, when
  ///   the thread no longer retains what it runs.
  func stop(_ stopped: @escaping Work) {
    run {
      self.isStopping = true
      self.onStop = stopped
    }
  }

  private func runTurns(_ turn: (Int32) -> Void) {
    var time = now
    while !isStopping {
      turn(timeout(at: time))
      runWork()
      time = now
      timers.runDue(at: time)
    }
  }

  /// Closes the inbox, and runs its remaining work.
  private func close() {
    // The system may give the id to another thread.
    thread.store(0, ordering: .relaxed)
    let rest = inbox.withLock { inbox in
      inbox.isRunning = false
      inbox.isClosed = true
      defer { inbox.work = [] }
      return inbox.work
    }
    for work in rest { work() }
    // Timers and callbacks may retain the loop, and are never called again.
    timers = TimerQueue()
    onStop()
    onStop = {}
  }

  private func runWork() {
    let work = inbox.withLock { inbox in
      guard inbox.isAwake else { return [Work]() }
      inbox.isAwake = false
      defer { inbox.work = [] }
      return inbox.work
    }
    for work in work { work() }
  }

  /// The milliseconds until the first timer is due, or -1.
  private func timeout(at now: Duration) -> Int32 {
    guard let deadline = timers.nextDeadline else { return -1 }
    guard deadline > now else { return 0 }
    // One division instead of the two that `components` makes: this runs in each turn.
    return Int32(clamping: (deadline - now).attoseconds / 1_000_000_000_000_000 + 1)
  }
}

/// A timer of an event loop: work that it runs at a certain time, once or repeatedly.
// @unchecked Sendable because `deadline` is used on the loop's thread only.
final class LoopTimer: Disposable, @unchecked Sendable {
  fileprivate(set) var deadline: Duration
  fileprivate let interval: Duration?
  private let work: @Sendable () -> Void
  private let disposed = Atomic(false)

  init(deadline: Duration, interval: Duration?, _ work: @escaping @Sendable () -> Void) {
    self.deadline = deadline
    self.interval = interval
    self.work = work
  }

  var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  /// Cancels the timer; the queue keeps it until its deadline, because a loop has few timers.
  func dispose() {
    disposed.store(true, ordering: .releasing)
  }

  func run() {
    guard !isDisposed else { return }
    if interval == nil { dispose() }
    work()
  }
}

/// The timers of an event loop, ordered by deadline; the next timer is the last element.
struct TimerQueue {
  private var timers: [LoopTimer] = []

  var nextDeadline: Duration? { timers.last?.deadline }

  mutating func insert(_ timer: LoopTimer) {
    // Timers with equal deadlines run in the order in which they were inserted.
    let index = timers.firstIndex { $0.deadline <= timer.deadline } ?? timers.endIndex
    timers.insert(timer, at: index)
  }

  mutating func runDue(at now: Duration) {
    while let timer = timers.last, timer.deadline <= now {
      timers.removeLast()
      if let interval = timer.interval, !timer.isDisposed {
        timer.deadline += interval
        // Skip repetitions that were missed: work that compares two checks relies on other work
        // having run between them.
        if timer.deadline <= now { timer.deadline = now + interval }
        insert(timer)
      }
      timer.run()
    }
  }
}
