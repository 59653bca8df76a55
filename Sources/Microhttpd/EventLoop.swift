internal import CMicrohttpd
internal import Glibc
internal import Locks
internal import Signals
internal import Synchronization

/// A thread that drives one libmicrohttpd daemon, or event streams, and runs work that others give
/// it.
///
/// The daemon has no thread of its own: the loop waits for its epoll descriptor and for an eventfd
/// of ours in one outer epoll set, runs the work that was scheduled, then calls `MHD_run`. So every
/// call into libmicrohttpd, and every callback from it, is on this thread, and nothing that belongs
/// to a connection needs a lock.
// @unchecked Sendable because `daemon` and `timers` are touched on the loop's own thread only.
final class EventLoop: Scheduler, @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  private struct Inbox {
    var work: [Work] = []
    /// Whether the eventfd was written since the loop last looked.
    var isAwake = false
    var isRunning = false
    var isClosed = false
  }

  private let epoll: Int32
  private let wakeUp: Int32
  private let inbox = Lock(Inbox())
  private let thread = Atomic<UInt>(0)
  private var timers = TimerQueue()
  private var daemon: OpaquePointer?
  /// What else the loop does; set before it starts.
  weak var background: (any LoopBackground)? {
    didSet { if let background { watch(background.descriptor) } }
  }
  private var isStopping = false
  /// Whether a connection was resumed that libmicrohttpd has not yet taken up again.
  private var hasResumed = false

  init() throws(DaemonError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system(function: "epoll_create1", errorNumber: errno) }
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeUp >= 0 else {
      let number = errno
      close(epoll)
      throw .system(function: "eventfd", errorNumber: number)
    }
    watch(wakeUp)
  }

  deinit {
    close(wakeUp)
    close(epoll)
  }

  /// Whether the caller is on the loop's thread.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Whether the thread was started and takes work.
  var isRunning: Bool { inbox.withLock { $0.isRunning } }

  // MARK: Scheduler

  var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Runs work on the loop, without a handle to cancel it: one lock, and one wake-up for all that
  /// is scheduled before the loop gets to it.
  ///
  /// - Returns: Whether it will run. A closed loop has no connections, and drops work for them.
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
    // What others still schedule on a closed loop is the end of something, such as the store's.
    if !run({ item.run() }) { item.run() }
    return item
  }

  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping Work) -> any Disposable {
    addTimer(after: delay, repeating: nil, work)
  }

  @discardableResult
  func schedule(
    after delay: Duration,
    repeating interval: Duration,
    _ work: @escaping Work
  ) -> any Disposable {
    addTimer(after: delay, repeating: interval, work)
  }

  private func addTimer(
    after delay: Duration,
    repeating interval: Duration?,
    _ work: @escaping Work
  ) -> any Disposable {
    let timer = LoopTimer(deadline: now + delay, interval: interval, work)
    run { self.timers.insert(timer) }
    return timer
  }

  /// Resumes a connection; on the loop's thread, once for each time that it was suspended.
  ///
  /// The corresponding C function is `MHD_resume_connection`.
  func resume(_ connection: OpaquePointer) {
    MHD_resume_connection(connection)
    hasResumed = true
  }

  // MARK: The thread

  /// Starts the thread; `daemon`, if there is one, is the loop's from now on.
  func start(name: String, daemon: OpaquePointer? = nil) throws(DaemonError) {
    self.daemon = daemon
    self.name = name
    if let daemon { watch(cmicrohttpd_epoll_descriptor(daemon)) }
    let context = Unmanaged.passRetained(self)  // released by the thread, in `main`
    var handle = pthread_t()
    let result = pthread_create(
      &handle,
      nil,
      { context in
        guard let context else { return nil }
        Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().main()
        return nil
      },
      context.toOpaque()
    )
    guard result == 0 else {
      context.release()
      throw .system(function: "pthread_create", errorNumber: result)
    }
    pthread_detach(handle)
    inbox.withLock { $0.isRunning = true }
  }

  /// Ends the thread once the work that was scheduled before has run.
  ///
  /// - Parameter stopped: Called on the loop's thread after its last call into libmicrohttpd.
  func stop(_ stopped: @escaping Work) {
    run {
      self.isStopping = true
      self.onStop = stopped
    }
  }

  private var name = ""
  private var onStop: Work = {}

  private func main() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    cmicrohttpd_name_thread(name)
    var events = [epoll_event](repeating: epoll_event(), count: 3)
    var hasMore = false
    while !isStopping {
      let count = epoll_wait(epoll, &events, 3, hasMore ? 0 : timeout())
      if count < 0, errno != EINTR { break }
      runWork()
      timers.runDue(at: now)
      if let background {
        let ready = events[..<Int(max(0, count))]
        if ready.contains(where: { $0.data.fd == background.descriptor }) { background.takeNews() }
        hasMore = background.runPart()
      }
      if let daemon {
        hasResumed = false
        MHD_run(daemon)
      }
    }
    let rest = inbox.withLock { inbox in
      inbox.isRunning = false
      inbox.isClosed = true
      defer { inbox.work = [] }
      return inbox.work
    }
    for work in rest { work() }
    // What they hold also holds the loop, and their time does not come any more.
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
    guard !work.isEmpty else { return }
    var count: eventfd_t = 0
    eventfd_read(wakeUp, &count)
    for work in work { work() }
  }

  /// How long the loop may wait, in milliseconds: until libmicrohttpd or a timer has to act.
  private func timeout() -> Int32 {
    // libmicrohttpd looks for resumed connections when a run begins, so one that was resumed by a
    // callback, within a run, waits for the next; `MHD_get_timeout` does not know of it.
    if hasResumed { return 0 }
    var milliseconds: UInt64 = .max
    var limit: UInt64 = 0
    if let daemon, MHD_get_timeout(daemon, &limit) == .YES { milliseconds = limit }
    if let deadline = timers.nextDeadline {
      let (seconds, attoseconds) = (deadline - now).components
      let wait = max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
      milliseconds = min(milliseconds, UInt64(wait))
    }
    return milliseconds == .max ? -1 : Int32(clamping: milliseconds)
  }

  private func watch(_ descriptor: Int32) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = descriptor
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
  }
}
