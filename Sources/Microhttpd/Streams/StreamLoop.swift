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
///                     StreamLoop   rounds of streams that get a turn, epoll, deadlines
/// ```
///
/// One thread serves all event loops: the streams of a log share the bytes that they send, and
/// requests do not wait while ten thousand streams are written.
// @unchecked Sendable because everything except `start`, `open`, `drain`, `stop`, `release` and
// `notifyWhenEmpty` runs on the thread; those schedule work on it, or use what has a lock.
final class StreamLoop: @unchecked Sendable {
  /// The number of streams that get a turn before ready sockets and new streams do.
  private static let flushesPerTurn = 32
  private static let maximumEventCount = 64

  private let loop: EventLoop
  private let limits: StreamLimits
  private let admission: StreamAdmission
  private let metrics: DaemonMetrics
  private let epoll: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: maximumEventCount)

  private var streams: [UInt64: Stream] = [:]
  /// No stream has the id 0, which the events of the loop's eventfd have.
  private var nextID: UInt64 = 1
  private var logs: [ObjectIdentifier: FollowedLog] = [:]
  /// The streams that get a turn in this round, from `turnIndex` on.
  ///
  /// A stream waits for at most one turn, so both rounds stay small however fast events arrive.
  private var round: [Stream] = []
  private var turnIndex = 0
  private var nextRound: [Stream] = []
  private var checksDeadlines = false
  /// The end of the drain, before which each stream ends at a random moment; `nil` before it.
  private var drainEnd: Duration?
  private var whenEmpty: (() -> Void)?

  init(_ options: DaemonOptions, _ admission: StreamAdmission) throws(DaemonError) {
    self.admission = admission
    limits = options.streams
    metrics = options.metrics
    loop = try EventLoop()
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system(function: "epoll_create1", errorNumber: errno) }
  }

  deinit { Glibc.close(epoll) }

  func start() throws(DaemonError) {
    try loop.start(name: "enlist-streams", on: epoll) { self.turn(atMost: $0) }
    // On Linux the priority is that of the thread, not of the process. If there are few cores,
    // requests take precedence over streams: a sign-up must not wait for ten thousand streams.
    loop.run { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
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
    let stream = Stream(nextID, request, on: socket, in: log, limits, at: loop.now)
    nextID += 1
    if drainEnd != nil { stream.end(by: randomEnd) }
    log.add(stream)
    streams[stream.id] = stream
    // Without a watch, the stream would not learn that its client has left or reads on.
    guard watch(stream, EPOLL_CTL_ADD) else { return end(stream, because: .lifetime) }
    scheduleDeadlineCheck()
    flush(stream, at: loop.now)
  }

  private func followed(_ log: EventLog) -> FollowedLog {
    if let followed = logs[ObjectIdentifier(log)] { return followed }
    let followed = FollowedLog(log)
    followed.follow(on: loop) { [weak self] log in
      guard let self else { return }
      for reader in log.readers { enqueue(reader) }
    }
    logs[ObjectIdentifier(log)] = followed
    return followed
  }

  /// Closes a stream; without a reason, the stream's own counts.
  private func close(_ stream: Stream, because reason: StreamEnd? = nil) {
    guard stream.isOpen else { return }
    epoll_ctl(epoll, EPOLL_CTL_DEL, stream.socket.descriptor, nil)
    stream.close()
    streams[stream.id] = nil
    stream.log.remove(stream)
    if stream.log.readers.isEmpty {
      stream.log.leave()
      logs[ObjectIdentifier(stream.log.log)] = nil
    }
    let isDrained = stream.endReason == .lifetime && drainEnd != nil
    metrics.count(reason ?? (isDrained ? .draining : stream.endReason))
    stream.source?.dispose()
    admission.leave(stream.client)
    if streams.isEmpty { whenEmpty.take()?() }
  }

  /// Ends a stream now, cleanly if its socket accepts the end.
  private func end(_ stream: Stream, because reason: StreamEnd) {
    let now = loop.now
    stream.isEnding = true
    while stream.flush(at: now, metrics) == .more {}
    close(stream, because: reason)
  }

  // MARK: Turns

  /// Gives some of the queued streams their turn, then serves the sockets that are ready.
  private func turn(atMost milliseconds: Int32) {
    let now = loop.now
    for _ in 0..<Self.flushesPerTurn {
      guard let stream = dequeue() else { break }
      if stream.isOpen, !stream.isBlocked { flush(stream, at: now) }
    }
    let isIdle = round.isEmpty && nextRound.isEmpty
    let count = epoll_wait(
      epoll, &events, Int32(Self.maximumEventCount), isIdle ? milliseconds : 0)
    for event in events[..<max(0, Int(count))] { handle(event) }
  }

  private func handle(_ event: epoll_event) {
    // Ignore an event of the loop's eventfd, or of a stream that this turn has closed.
    guard let stream = streams[event.data.u64] else { return }
    if event.events & EPOLLHUP.rawValue != 0 {
      close(stream, because: .client)
    } else if event.events & ~EPOLLOUT.rawValue != 0 {
      // A half-closed client may still be reading.
      end(stream, because: .client)
    } else {
      flush(stream, at: loop.now)
    }
  }

  private func flush(_ stream: Stream, at now: Duration) {
    let wasBlocked = stream.isBlocked
    let progress = stream.flush(at: now, metrics)
    if stream.isBlocked != wasBlocked { watch(stream, EPOLL_CTL_MOD) }
    switch progress {
    case .more: enqueue(stream)
    case .over: close(stream)
    case .caughtUp, .blocked: break
    }
  }

  /// Makes epoll report a client that leaves, and a blocked socket that accepts bytes; `false` if the
  /// system watches too many sockets already.
  @discardableResult
  private func watch(_ stream: Stream, _ operation: Int32) -> Bool {
    var event = epoll_event()
    event.events = EPOLLRDHUP.rawValue | (stream.isBlocked ? EPOLLOUT.rawValue : 0)
    if stream.socket.endsAtInput { event.events |= EPOLLIN.rawValue }
    event.data.u64 = stream.id
    return epoll_ctl(epoll, operation, stream.socket.descriptor, &event) == 0
  }

  /// Gives a stream one more turn, after those that wait for theirs.
  private func enqueue(_ stream: Stream) {
    guard !stream.isQueued else { return }
    stream.isQueued = true
    nextRound.append(stream)
  }

  private func dequeue() -> Stream? {
    if round.isEmpty { swap(&round, &nextRound) }
    guard turnIndex < round.count else { return nil }
    let stream = round[turnIndex]
    stream.isQueued = false
    turnIndex += 1
    if turnIndex == round.count {
      round.removeAll(keepingCapacity: true)
      turnIndex = 0
    }
    return stream
  }

  // MARK: Deadlines

  private func scheduleDeadlineCheck() {
    guard !checksDeadlines, !streams.isEmpty else { return }
    checksDeadlines = true
    loop.schedule(after: limits.deadlineCheckInterval) { [weak self] in self?.checkDeadlines() }
  }

  private func checkDeadlines() {
    checksDeadlines = false
    let now = loop.now
    for stream in Array(streams.values) {
      switch stream.due(at: now, stall: limits.stall) {
      case .flush: flush(stream, at: now)
      case .reset: close(stream)
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
      for stream in self.streams.values { stream.end(by: self.randomEnd) }
    }
  }

  private var randomEnd: Duration {
    let now = loop.now
    return now + max(.zero, (drainEnd ?? now) - now) * Double.random(in: 0..<1)
  }

  /// Calls back once no stream is open, or if the thread is not running.
  func notifyWhenEmpty(_ whenEmpty: @escaping @Sendable () -> Void) {
    let isScheduled =
      loop.isRunning
      && loop.run { if self.streams.isEmpty { whenEmpty() } else { self.whenEmpty = whenEmpty } }
    if !isScheduled { whenEmpty() }
  }

  /// Ends all streams and the thread now; calls back when the thread has ended, immediately if it is
  /// not running.
  func stop(_ stopped: @escaping @Sendable () -> Void) {
    let isScheduled =
      loop.isRunning
      && loop.run {
        self.drainEnd = self.drainEnd ?? self.loop.now
        for stream in Array(self.streams.values) { self.end(stream, because: .draining) }
        self.loop.stop(stopped)
      }
    if !isScheduled { stopped() }
  }
}
