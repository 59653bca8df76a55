internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// The writer of the streams that are sent directly to their sockets.
///
/// ```text
/// EventLog ──► LogReaders ──► DirectStream ──► socket
///                  ▲                ▲
///                  └───────┬────────┘
///                  DirectStreamWriter   flushes in parts, handles readiness, checks deadlines
/// ```
///
/// libmicrohttpd iterates over all suspended connections whenever it resumes one, and keeps
/// kilobytes for each. Here a stream is an element of an array. Everything runs on the loop's
/// thread.
// @unchecked Sendable because all of it is used on the loop's thread only.
final class DirectStreamWriter: @unchecked Sendable {
  /// The number of streams that are flushed before new streams, and ready sockets, get their turn.
  private static let flushesPerPart = 32

  /// The epoll set of the sockets; the data of an event identifies the stream.
  let epoll: Int32

  private let loop: EventLoop
  private let limits: StreamLimits
  private let metrics: DaemonMetrics
  /// Called for each stream that has ended.
  var closed: (ClientAddress) -> Void = { _ in }
  private var table = StreamTable<DirectStream>()
  private var generation: UInt32 = 0
  private var checksDeadlines = false
  /// The end of the drain, before which each stream ends at a random moment; `nil` before the
  /// drain.
  private var drainEnd: Duration?
  private var whenEmpty: () -> Void = {}

  /// Creates a writer without streams, which runs on the loop's thread.
  ///
  /// - Throws: `DaemonError` if there is no file descriptor left.
  init(loop: EventLoop, limits: StreamLimits, metrics: DaemonMetrics) throws(DaemonError) {
    self.loop = loop
    self.limits = limits
    self.metrics = metrics
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system(function: "epoll_create1", errorNumber: errno) }
  }

  deinit {
    close(epoll)
  }

  private var isEmpty: Bool { table.count == 0 }

  // MARK: Opening and closing

  /// Opens a stream on a socket on which the head of its response was sent.
  func open(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    socket.configure()
    generation &+= 1
    var opened = DirectStream(
      of: stream,
      on: socket,
      in: readers(of: stream.log),
      generation: generation,
      for: request,
      deadlines: StreamDeadlines(now: loop.now, limits)
    )
    if drainEnd != nil { opened.end(by: randomEnd) }
    opened.protectEnd()
    let index = table.insert(opened)
    watch(EPOLL_CTL_ADD, index, forRoom: false)
    update(index, after: table.streams[Int(index)]?.advance(at: loop.now))
    scheduleDeadlineCheck()
  }

  private func readers(of log: EventLog) -> LogReaders {
    table.readers(of: log) { readers in
      readers.follow(on: loop) { [weak self] in self?.table.enqueue($0) }
    }
  }

  /// Removes a stream; without a reason, the stream's own counts.
  private func remove(_ index: Int32, because end: StreamEnd? = nil) {
    guard let stream = table.remove(at: index) else { return }
    epoll_ctl(epoll, EPOLL_CTL_DEL, stream.socket.descriptor, nil)
    let end = end ?? stream.end(whileDraining: drainEnd != nil)
    stream.close(isStalled: end == .stalled)
    metrics.count(end)
    table.tally.flush(to: metrics)
    stream.source?.dispose()
    closed(stream.client)
    if isEmpty { callWhenEmpty() }
  }

  private func callWhenEmpty() {
    let call = whenEmpty
    whenEmpty = {}
    call()
  }

  /// Ends all streams now, cleanly if their sockets accept the end.
  func endAll() {
    let now = loop.now
    for index in table.streams.indices {
      table.streams[index]?.finish(at: now)
      remove(Int32(index), because: .draining)
    }
  }

  /// Ends all streams at random moments within a time, including streams that open meanwhile; only
  /// the first call has an effect.
  func drain(within time: Duration) {
    guard drainEnd == nil else { return }
    drainEnd = loop.now + time
    for index in table.streams.indices { table.streams[index]?.end(by: randomEnd) }
  }

  /// Calls back once, when no stream is open.
  func notifyWhenEmpty(_ whenEmpty: @escaping () -> Void) {
    self.whenEmpty = whenEmpty
    if isEmpty { callWhenEmpty() }
  }

  private var randomEnd: Duration {
    let now = loop.now
    return now + max(.zero, (drainEnd ?? now) - now) * Double.random(in: 0..<1)
  }

  // MARK: Sending

  var hasPending: Bool { table.hasPending }

  /// Flushes a part of the streams that are due, so that other work need not wait for all of them.
  func flushPart() {
    guard hasPending else { return }
    let now = loop.now
    defer { table.tally.flush(to: metrics) }
    for _ in 0..<Self.flushesPerPart {
      guard let index = table.takePending() else { return }
      flush(index, at: now)
    }
  }

  private func flush(_ index: Int32, at now: Duration) {
    guard let stream = table.streams[Int(index)], !stream.awaitsRoom else { return }
    update(index, after: table.streams[Int(index)]?.advance(at: now))
  }

  private func update(_ index: Int32, after progress: DirectStream.Progress?) {
    switch progress {
    case .caughtUp: awaitRoom(false, for: index)
    case .more:
      awaitRoom(false, for: index)
      guard let readers = table.streams[Int(index)]?.readers else { return }
      readers.startRound()
      table.enqueue(readers)
    case .blocked: awaitRoom(true, for: index)
    case .over: remove(index)
    case .stalled: remove(index, because: .stalled)
    case nil: break
    }
  }

  // MARK: Readiness

  private func awaitRoom(_ awaitsRoom: Bool, for index: Int32) {
    guard table.streams[Int(index)]?.awaitsRoom != awaitsRoom else { return }
    table.streams[Int(index)]?.awaitsRoom = awaitsRoom
    watch(EPOLL_CTL_MOD, index, forRoom: awaitsRoom)
  }

  private func watch(_ operation: Int32, _ index: Int32, forRoom: Bool) {
    guard let stream = table.streams[Int(index)] else { return }
    var event = epoll_event()
    event.events = EPOLLRDHUP.rawValue | (forRoom ? EPOLLOUT.rawValue : 0)
    if stream.socket.endsAtInput { event.events |= EPOLLIN.rawValue }
    event.data.u64 = UInt64(stream.generation) << 32 | UInt64(index)
    epoll_ctl(epoll, operation, stream.socket.descriptor, &event)
  }

  func handle(_ events: some Sequence<epoll_event>) {
    let now = loop.now
    for event in events {
      let index = Int32(truncatingIfNeeded: event.data.u64 & 0xFFFF_FFFF)
      // Ignore an event of a stream that has been closed, whose index may have been reused.
      guard table.streams[Int(index)]?.generation == UInt32(event.data.u64 >> 32) else { continue }
      if event.events & ~EPOLLOUT.rawValue != 0 {
        // A half-closed client may still be reading.
        if event.events & EPOLLHUP.rawValue == 0 { table.streams[Int(index)]?.finish(at: now) }
        remove(index, because: .client)
      } else {
        update(index, after: table.streams[Int(index)]?.advance(at: now))
      }
    }
  }

  // MARK: Deadlines

  /// Schedules the next check of the deadlines, if streams are open.
  private func scheduleDeadlineCheck() {
    guard !checksDeadlines, !isEmpty else { return }
    checksDeadlines = true
    loop.schedule(after: limits.deadlineCheckInterval) { [weak self] in
      self?.checkDeadlines()
    }
  }

  /// Sends heartbeats, ends streams and resets stalled clients that are due.
  private func checkDeadlines() {
    checksDeadlines = false
    let now = loop.now
    let stall = limits.stall
    table.tally.flush(to: metrics)
    for index in table.streams.indices {
      update(Int32(index), after: table.streams[index]?.checkDeadlines(at: now, stall: stall))
    }
    scheduleDeadlineCheck()
  }
}
