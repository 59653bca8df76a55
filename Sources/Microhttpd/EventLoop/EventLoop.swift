internal import CMicrohttpd
internal import Glibc
internal import Locks
internal import Signals
internal import Synchronization

/// A thread that drives one libmicrohttpd daemon or the event streams, and runs scheduled work.
///
/// The daemon has no thread of its own: the loop calls `MHD_run_wait`, which waits for readiness
/// and serves connections, and then runs the scheduled work. libmicrohttpd also waits for an
/// eventfd of the loop, which interrupts that wait. So every call into libmicrohttpd and every
/// callback from it runs on this thread, and the state of a connection needs no lock.
// @unchecked Sendable because `daemon` and `timers` are used on the loop's own thread only.
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
  /// The loop's own epoll set; -1 if the loop drives a daemon and uses that of libmicrohttpd.
  private var epoll: Int32 = -1
  private let inbox = Lock(Inbox())
  private let thread = Atomic<UInt>(0)
  private var timers = TimerQueue()
  private var daemon: OpaquePointer?
  /// The driver of a loop without a daemon; set before the loop starts.
  weak var driver: (any LoopDriver)?
  private var isStopping = false
  /// The number of calls to libmicrohttpd so far; in one turn it reads each connection once.
  private(set) var turn: UInt64 = 0
  /// Called after each call to libmicrohttpd; set on the loop's thread.
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

  /// Whether the thread has been started and accepts work.
  var isRunning: Bool { inbox.withLock { $0.isRunning } }

  // MARK: Scheduler

  var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The time of the kernel's next tick: not before `now`, and at most a few milliseconds after it.
  ///
  /// It is precise enough as the start of a time that is measured in seconds, and costs a third of
  /// `now`.
  var nextTick: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) + Self.tickLength
  }

  /// The time between two ticks of the kernel; the corresponding C function is `clock_getres`.
  private static let tickLength: Duration = {
    var time = timespec()
    clock_getres(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }()

  /// Runs work on the loop, without a handle to cancel it; callable from any thread.
  ///
  /// It costs one lock, and one wake-up for all work that is scheduled before the loop runs it.
  ///
  /// - Returns: Whether the work will run. A closed loop has no connections, and drops work for
  ///   them.
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

  /// Starts the thread, which drives the daemon or the driver from now on.
  ///
  /// - Parameters:
  ///   - name: The name of the thread.
  ///   - daemon: The daemon to drive, which only the loop may use from now on; `nil` for a loop
  ///     with a driver.
  /// - Throws: `DaemonError` if a system call fails.
  func start(name: String, daemon: OpaquePointer? = nil) throws(DaemonError) {
    self.name = name
    self.daemon = daemon
    // Edge-triggered: each write to the eventfd wakes the loop once, so the loop never has to read
    // it, and cannot miss a write by reading too early.
    let edge = EPOLLIN.rawValue | EPOLLET.rawValue
    if let daemon {
      // libmicrohttpd stores pointers in the events of its epoll set, and skips events without one
      // (`MHD_epoll`). So one wait serves both.
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
    let context = Unmanaged.passRetained(self)  // released by the thread
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

  /// Ends the thread after the work that has been scheduled so far.
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
    // Timers and callbacks may retain the loop, and will not be called again.
    timers = TimerQueue()
    afterTurn = nil
    onStop()
    onStop = {}
  }

  /// Makes the loop wait briefly for readiness before the next turn of libmicrohttpd; call it on
  /// the loop's thread.
  ///
  /// libmicrohttpd 0.9.75 does not wait while a TLS handshake waits for its client. It would keep a
  /// core busy during each round trip, and until the deadline for a client that sends nothing.
  func awaitHandshake() {
    isAwaitingHandshake = true
  }

  private var isAwaitingHandshake = false

  /// Waits until a descriptor of libmicrohttpd is ready or work is scheduled, but at most one
  /// millisecond.
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
      // libmicrohttpd waits no longer than its own deadlines allow, and not at all if a connection
      // has been resumed since its last turn.
      turn &+= 1
      MHD_run_wait(daemon, timeout(at: time))
      afterTurn?()
      runWork()
      time = now
      timers.runDue(at: time)
    }
  }

  private func runDriver() {
    // On Linux the priority is that of the thread, not of the process. If there are few cores,
    // requests take precedence over streams: a sign-up must not wait for ten thousand streams.
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

  /// The time until the first timer is due, in milliseconds; -1 if there is no timer.
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
