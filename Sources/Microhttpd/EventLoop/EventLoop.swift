internal import CMicrohttpd
internal import Glibc
internal import Locks
internal import Signals
internal import Synchronization

/// A thread that drives one libmicrohttpd daemon, or event streams, and runs work that others give
/// it.
///
/// The daemon has no thread of its own: the loop calls `MHD_run_wait`, which waits and serves, then
/// runs the work that was scheduled. An eventfd of ours is among the descriptors that libmicrohttpd
/// waits for. So every call into libmicrohttpd, and every callback from it, is on this thread, and
/// nothing that belongs to a connection needs a lock.
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

  private let wakeUp: Int32
  /// -1 while libmicrohttpd waits for the loop.
  private var epoll: Int32 = -1
  private let inbox = Lock(Inbox())
  private let thread = Atomic<UInt>(0)
  private var timers = TimerQueue()
  private var daemon: OpaquePointer?
  /// What else the loop does; set before it starts.
  weak var driver: (any LoopDriver)?
  private var isStopping = false
  /// How often libmicrohttpd was called; in one turn it reads each connection once.
  private(set) var turn: UInt64 = 0
  /// What is done after each call of libmicrohttpd; set on the loop's thread.
  var afterTurn: (() -> Void)?

  init() throws(DaemonError) {
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeUp >= 0 else { throw .system(function: "eventfd", errorNumber: errno) }
  }

  deinit {
    close(wakeUp)
    if epoll >= 0 { close(epoll) }
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

  /// The time of the kernel's next tick, not before now and a few milliseconds after it at the most.
  ///
  /// It is when a time begins that is measured in seconds, and costs a third of `now`.
  var nextTick: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) + Self.tickLength
  }

  /// The corresponding C function is `clock_getres`.
  private static let tickLength: Duration = {
    var time = timespec()
    clock_getres(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }()

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

  // MARK: The thread

  /// Starts the thread; `daemon`, if there is one, is the loop's from now on.
  func start(name: String, daemon: OpaquePointer? = nil) throws(DaemonError) {
    self.name = name
    self.daemon = daemon
    // Each write to an eventfd is an edge: nobody has to read it, and nobody can read it too early
    // and leave the loop awake.
    let edge = EPOLLIN.rawValue | EPOLLET.rawValue
    if let daemon {
      // The descriptors of libmicrohttpd's epoll set carry a pointer of its own; what has none it
      // skips (`MHD_epoll`). So one wait does for both.
      let epoll = cmicrohttpd_epoll_descriptor(daemon)
      try watch(wakeUp, in: epoll, for: edge, data: epoll_data())
    } else {
      epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard epoll >= 0 else { throw .system(function: "epoll_create1", errorNumber: errno) }
      try watch(wakeUp, in: epoll, for: edge, data: epoll_data())
      if let driver {
        let descriptor = driver.descriptor
        try watch(descriptor, in: epoll, for: EPOLLIN.rawValue, data: epoll_data(fd: descriptor))
      }
    }
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
    if let daemon { serve(daemon) } else { runDriver() }
    let rest = inbox.withLock { inbox in
      inbox.isRunning = false
      inbox.isClosed = true
      defer { inbox.work = [] }
      return inbox.work
    }
    for work in rest { work() }
    // What they hold also holds the loop, and their time does not come any more.
    timers = TimerQueue()
    afterTurn = nil
    onStop()
    onStop = {}
  }

  /// Has the loop wait a moment for readiness before libmicrohttpd gets its next turn; on its thread.
  ///
  /// libmicrohttpd 0.9.75 does not wait while a TLS handshake waits for its client: it would keep a
  /// core busy for each round trip, and for a client that stays away until its time is over.
  func awaitHandshake() {
    isAwaitingHandshake = true
  }

  private var isAwaitingHandshake = false

  /// Waits until a descriptor of libmicrohttpd is ready, or work was scheduled, a millisecond at most.
  private func pause(_ daemon: OpaquePointer) {
    isAwaitingHandshake = false
    var readiness = pollfd(
      fd: cmicrohttpd_epoll_descriptor(daemon),
      events: Int16(POLLIN),
      revents: 0
    )
    poll(&readiness, 1, 1)
  }

  private func serve(_ daemon: OpaquePointer) {
    var time = now
    while !isStopping {
      if isAwaitingHandshake { pause(daemon) }
      // It waits no longer than its own deadlines allow, and not at all when a connection was
      // resumed since.
      turn &+= 1
      MHD_run_wait(daemon, timeout(at: time))
      afterTurn?()
      runWork()
      time = now
      timers.runDue(at: time)
    }
  }

  private func runDriver() {
    // In Linux it is the thread's alone. Where cores are few, who asks goes before who listens: a
    // sign-up beside ten thousand streams.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    var events = [epoll_event](repeating: epoll_event(), count: 2)
    var hasMore = false
    while !isStopping {
      let count = epoll_wait(epoll, &events, 2, hasMore ? 0 : timeout(at: now))
      if count < 0, errno != EINTR { break }
      runWork()
      timers.runDue(at: now)
      guard let driver else { continue }
      let ready = events[..<Int(max(0, count))]
      if ready.contains(where: { $0.data.fd == driver.descriptor }) { driver.takeReadiness() }
      hasMore = driver.runPart()
    }
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

  /// How long the loop may wait for the first timer, in milliseconds; -1 is for ever.
  private func timeout(at now: Duration) -> Int32 {
    guard let deadline = timers.nextDeadline else { return -1 }
    let (seconds, attoseconds) = (deadline - now).components
    return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
  }

  private func watch(
    _ descriptor: Int32,
    in epoll: Int32,
    for events: UInt32,
    data: epoll_data
  ) throws(DaemonError) {
    var event = epoll_event(events: events, data: data)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      throw .system(function: "epoll_ctl", errorNumber: errno)
    }
  }
}
