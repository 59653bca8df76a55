internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// The thread that writes event streams to the sockets that were taken over from libmicrohttpd.
///
/// ```text
/// EventLog ──► FollowedLog ──► Stream ──► StreamSocket
///                   ▲             ▲
///                   └──────┬──────┘
///                     StreamLoop   the queue of streams that get a turn, epoll, deadlines
/// ```
///
/// One thread serves all event loops: the streams of a log share the bytes that they send, and
/// requests do not wait while ten thousand streams are written.
// @unchecked Sendable because everything except `start`, `open`, `drain` and `stop` runs on the
// thread, and those only schedule work on it.
final class StreamLoop: LoopDriver, @unchecked Sendable {
  /// The number of streams that get a turn before ready sockets and new streams do.
  private static let flushesPerTurn = 32
  private static let maximumEventCount = 64
  /// The data of the events of the loop's eventfd, which no stream has.
  private static let wakeUpData = UInt64.max

  private let loop: EventLoop
  private let limits: StreamLimits
  private let admission: StreamAdmission
  private let metrics: DaemonMetrics
  private let epoll: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: maximumEventCount)
  private var readyCount = 0

  private var streams: ContiguousArray<Stream?> = []
  /// How often each index has been used, which distinguishes the events of its streams.
  private var generations: ContiguousArray<UInt32> = []
  private var freeIndices: [Int32] = []
  private var logs: [ObjectIdentifier: FollowedLog] = [:]
  /// The streams that get a turn, from `queueStart` on.
  private var queue: [Int32] = []
  private var queueStart = 0
  private var tally = StreamTally()
  private var checksDeadlines = false
  /// The end of the drain, before which each stream ends at a random moment; `nil` before it.
  private var drainEnd: Duration?
  private var whenEmpty: (() -> Void)?

  /// Creates a loop whose thread is not running.
  ///
  /// - Throws: `DaemonError` if there is no file descriptor left.
  init(_ options: DaemonOptions, _ admission: StreamAdmission) throws(DaemonError) {
    self.admission = admission
    limits = options.streams
    metrics = options.metrics
    loop = try EventLoop()
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system(function: "epoll_create1", errorNumber: errno) }
  }

  deinit {
    Glibc.close(epoll)
  }

  func start() throws(DaemonError) {
    try loop.start(name: "enlist-streams", driving: self)
  }

  // MARK: Opening and closing

  /// Opens an admitted stream on a socket on which the head of its response was sent; callable from
  /// any thread.
  func open(_ request: StreamRequest, on socket: StreamSocket) {
    if loop.run({ self.add(request, on: socket) }) { return }
    // The loop has stopped.
    socket.close()
    release(request)
  }

  /// Releases an admitted stream that could not be opened; callable from any thread.
  func release(_ request: StreamRequest) {
    request.stream.source?.dispose()
    admission.leave(request.client)
  }

  private func add(_ request: StreamRequest, on socket: StreamSocket) {
    socket.configure(request.framing)
    let log = followed(request.stream.log)
    var stream = Stream(request, on: socket, in: log, limits, at: loop.now)
    if drainEnd != nil { stream.end(by: randomEnd) }
    let index = freeIndices.popLast() ?? Int32(streams.count)
    if index == streams.count {
      streams.append(nil)
      generations.append(0)
    }
    stream.readerIndex = log.add(index)
    streams[Int(index)] = stream
    // Without a watch, the stream would not learn that its client has left or reads on.
    guard watch(index, EPOLL_CTL_ADD) else { return end(index, because: .lifetime) }
    scheduleDeadlineCheck()
    flush(index, at: loop.now)
  }

  private func followed(_ log: EventLog) -> FollowedLog {
    if let followed = logs[ObjectIdentifier(log)] { return followed }
    let followed = FollowedLog(log)
    followed.follow(on: loop) { [weak self] log in
      for reader in log.readers { self?.enqueue(reader) }
    }
    logs[ObjectIdentifier(log)] = followed
    return followed
  }

  /// Closes a stream; without a reason, the stream's own counts.
  private func close(_ index: Int32, because reason: StreamEnd? = nil) {
    guard let stream = streams[Int(index)] else { return }
    epoll_ctl(epoll, EPOLL_CTL_DEL, stream.socket.descriptor, nil)
    stream.close()
    streams[Int(index)] = nil
    generations[Int(index)] &+= 1
    freeIndices.append(index)
    if let moved = stream.log.remove(at: stream.readerIndex) {
      streams[Int(moved)]?.readerIndex = stream.readerIndex
    }
    if stream.log.readers.isEmpty {
      stream.log.leave()
      logs[ObjectIdentifier(stream.log.log)] = nil
    }
    let isDrained = stream.endReason == .lifetime && drainEnd != nil
    metrics.count(reason ?? (isDrained ? .draining : stream.endReason))
    metrics.count(&tally)
    stream.source?.dispose()
    admission.leave(stream.client)
    if isEmpty { whenEmpty.take()?() }
  }

  private var isEmpty: Bool { streams.count == freeIndices.count }

  /// Ends a stream now, cleanly if its socket accepts the end.
  private func end(_ index: Int32, because reason: StreamEnd) {
    let now = loop.now
    streams[Int(index)]?.isEnding = true
    while streams[Int(index)]?.flush(at: now, &tally) == .more {}
    close(index, because: reason)
  }

  // MARK: Turns

  func watch(_ wakeUp: Int32) throws(DaemonError) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLET.rawValue
    event.data.u64 = Self.wakeUpData
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
      throw .system(function: "epoll_ctl", errorNumber: errno)
    }
  }

  func prepareThread() {
    // On Linux the priority is that of the thread, not of the process. If there are few cores,
    // requests take precedence over streams: a sign-up must not wait for ten thousand streams.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
  }

  func wait(atMost milliseconds: Int32) {
    let milliseconds = queueStart < queue.count ? 0 : milliseconds
    let count = epoll_wait(epoll, &events, Int32(Self.maximumEventCount), milliseconds)
    readyCount = max(0, Int(count))
  }

  func serve() {
    let now = loop.now
    for event in events[..<readyCount] where event.data.u64 != Self.wakeUpData {
      handle(event, at: now)
    }
    readyCount = 0
    for _ in 0..<Self.flushesPerTurn {
      guard let index = dequeue() else { break }
      if streams[Int(index)]?.isBlocked == false { flush(index, at: now) }
    }
    metrics.count(&tally)
  }

  private func handle(_ event: epoll_event, at now: Duration) {
    let index = Int32(truncatingIfNeeded: event.data.u64)
    // Ignore an event of a stream that has been closed, whose index may have been reused.
    guard generations[Int(index)] == UInt32(truncatingIfNeeded: event.data.u64 >> 32) else {
      return
    }
    if event.events & EPOLLHUP.rawValue != 0 {
      close(index, because: .client)
    } else if event.events & ~EPOLLOUT.rawValue != 0 {
      // A half-closed client may still be reading.
      end(index, because: .client)
    } else {
      flush(index, at: now)
    }
  }

  private func flush(_ index: Int32, at now: Duration) {
    let wasBlocked = streams[Int(index)]?.isBlocked
    let progress = streams[Int(index)]?.flush(at: now, &tally)
    if streams[Int(index)]?.isBlocked != wasBlocked { watch(index, EPOLL_CTL_MOD) }
    switch progress {
    case .more: enqueue(index)
    case .over: close(index)
    case .caughtUp, .blocked, nil: break
    }
  }

  /// Makes epoll report a client that leaves, and a blocked socket that accepts bytes; `false` if the
  /// system watches too many sockets already.
  @discardableResult
  private func watch(_ index: Int32, _ operation: Int32) -> Bool {
    guard let stream = streams[Int(index)] else { return false }
    var event = epoll_event()
    event.events = EPOLLRDHUP.rawValue | (stream.isBlocked ? EPOLLOUT.rawValue : 0)
    if stream.socket.endsAtInput { event.events |= EPOLLIN.rawValue }
    event.data.u64 = UInt64(generations[Int(index)]) << 32 | UInt64(index)
    return epoll_ctl(epoll, operation, stream.socket.descriptor, &event) == 0
  }

  /// Gives a stream one more turn, after those that wait for theirs.
  private func enqueue(_ index: Int32) {
    guard streams[Int(index)]?.isQueued == false else { return }
    streams[Int(index)]?.isQueued = true
    queue.append(index)
  }

  private func dequeue() -> Int32? {
    guard queueStart < queue.count else {
      queue.removeAll(keepingCapacity: true)
      queueStart = 0
      return nil
    }
    let index = queue[queueStart]
    queueStart += 1
    streams[Int(index)]?.isQueued = false
    return index
  }

  // MARK: Deadlines

  private func scheduleDeadlineCheck() {
    guard !checksDeadlines, !isEmpty else { return }
    checksDeadlines = true
    loop.schedule(after: limits.deadlineCheckInterval) { [weak self] in self?.checkDeadlines() }
  }

  private func checkDeadlines() {
    checksDeadlines = false
    let now = loop.now
    for index in streams.indices {
      switch streams[index]?.due(at: now, stall: limits.stall) {
      case .flush: flush(Int32(index), at: now)
      case .reset: close(Int32(index))
      case nil: break
      }
    }
    scheduleDeadlineCheck()
  }

  // MARK: The end

  /// Ends all streams at random moments within a time, including streams that open meanwhile; only
  /// the first call has an effect.
  func drain(within time: Duration) {
    loop.run {
      guard self.drainEnd == nil else { return }
      self.drainEnd = self.loop.now + time
      for index in self.streams.indices { self.streams[index]?.end(by: self.randomEnd) }
    }
  }

  private var randomEnd: Duration {
    let now = loop.now
    return now + max(.zero, (drainEnd ?? now) - now) * Double.random(in: 0..<1)
  }

  /// Calls back once no stream is open; immediately if the thread is not running.
  func notifyWhenEmpty(_ whenEmpty: @escaping @Sendable () -> Void) {
    let isScheduled =
      loop.isRunning
      && loop.run { if self.isEmpty { whenEmpty() } else { self.whenEmpty = whenEmpty } }
    if !isScheduled { whenEmpty() }
  }

  /// Ends all streams and the thread now; calls back when the thread has ended, immediately if it is
  /// not running.
  func stop(_ stopped: @escaping @Sendable () -> Void) {
    let isScheduled =
      loop.isRunning
      && loop.run {
        self.drainEnd = self.drainEnd ?? self.loop.now
        for index in self.streams.indices { self.end(Int32(index), because: .draining) }
        self.loop.stop(stopped)
      }
    if !isScheduled { stopped() }
  }
}
