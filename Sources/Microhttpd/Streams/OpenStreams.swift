internal import HTTPSignals
internal import Signals

/// The open streams of one thread: it flushes those that are due, checks their deadlines, and ends
/// and removes them.
///
/// ```text
/// EventLog ──► LogReaders ──► StreamState ──► OpenStream ──► connection
///                  ▲               ▲              ▲
///                  └───────────────┴──┬───────────┘
///                                OpenStreams   which stream is next, or has a deadline
/// ```
// @unchecked Sendable because all of it is used on the loop's thread only.
final class OpenStreams<Stream: OpenStream>: @unchecked Sendable {
  let loop: EventLoop
  /// Called when the streams of a log have become due.
  var becameDue: () -> Void = {}
  private(set) var table = StreamTable<Stream>()
  private let transport: StreamTransport
  private let limits: StreamLimits
  private let admission: StreamAdmission
  private let metrics: DaemonMetrics
  private var checksDeadlines = false
  /// The end of the drain, before which each stream ends at a random moment; `nil` before the
  /// drain.
  private var drainEnd: Duration?
  private var whenEmpty: (() -> Void)?

  init(
    of transport: StreamTransport, on loop: EventLoop, admission: StreamAdmission,
    _ options: DaemonOptions
  ) {
    self.transport = transport
    self.loop = loop
    self.admission = admission
    limits = options.streams
    metrics = options.metrics
  }

  // MARK: Opening and removing

  /// Makes the state of a stream that must then be added, and follows its log.
  ///
  /// - Parameter descriptor: The socket, on which a close before the end of the stream becomes a
  ///   reset if the close alone marks that end: the client must not treat part of an event as
  ///   complete.
  func makeState(for request: StreamRequest, on descriptor: Int32) -> StreamState {
    switch request.framing {
    case .chunked: break
    case .untilClose: setResetsOnClose(true, of: descriptor)
    }
    var state = StreamState(
      request, index: table.reserveIndex(), in: readers(of: request.stream.log),
      deadlines: StreamDeadlines(now: loop.now, limits))
    if drainEnd != nil { state.end(by: randomEnd) }
    return state
  }

  private func readers(of log: EventLog) -> LogReaders {
    table.readers(of: log) { readers in
      readers.follow(on: loop) { [weak self] readers in
        self?.table.enqueue(readers)
        self?.becameDue()
      }
    }
  }

  func add(_ stream: Stream) {
    table.insert(stream)
    scheduleDeadlineCheck()
  }

  /// Removes a stream whose connection is closed; without a reason, the stream's own counts.
  func remove(_ index: Int, because reason: StreamEnd? = nil) {
    guard let state = table.remove(at: index)?.state else { return }
    let isDrained = state.endReason == .lifetime && drainEnd != nil
    metrics.count(reason ?? (isDrained ? .draining : state.endReason))
    table.tally.flush(to: metrics)
    state.source?.dispose()
    admission.leave(state.client, transport)
    if isEmpty { whenEmpty.take()?() }
  }

  /// Closes the connection of a stream, and removes the stream when it is closed.
  func close(_ index: Int, because reason: StreamEnd? = nil) {
    if table.streams[index]?.disconnect() == true { remove(index, because: reason) }
  }

  /// Calls back once, when no stream is open.
  func notifyWhenEmpty(_ whenEmpty: @escaping () -> Void) {
    if isEmpty { whenEmpty() } else { self.whenEmpty = whenEmpty }
  }

  private var isEmpty: Bool { table.count == 0 }

  // MARK: Ending

  /// Ends a stream now, cleanly if its connection accepts the end.
  func end(_ index: Int, because reason: StreamEnd) {
    let now = loop.now
    table.streams[index]?.state.isEnding = true
    while table.streams[index]?.flush(at: now) == .more {}
    close(index, because: reason)
  }

  /// Ends all streams now, cleanly if their connections accept the end.
  func endAll() {
    drainEnd = drainEnd ?? loop.now
    for index in table.streams.indices { end(index, because: .draining) }
  }

  /// Ends all streams at random moments within a time, including streams that open meanwhile; only
  /// the first call has an effect.
  func drain(within time: Duration) {
    guard drainEnd == nil else { return }
    drainEnd = loop.now + time
    for index in table.streams.indices { table.streams[index]?.state.end(by: randomEnd) }
  }

  private var randomEnd: Duration {
    let now = loop.now
    return now + max(.zero, (drainEnd ?? now) - now) * Double.random(in: 0..<1)
  }

  // MARK: Sending

  var hasPending: Bool { table.hasPending }

  /// Flushes at most `count` of the streams that are due, so that other work need not wait for all
  /// of them.
  func flushPart(of count: Int) {
    guard hasPending else { return }
    let now = loop.now
    defer { table.tally.flush(to: metrics) }
    for _ in 0..<count {
      guard let index = table.takePending() else { return }
      if table.streams[index]?.state.isBlocked == false { flush(index, at: now) }
    }
  }

  /// Flushes a stream; call it for a blocked stream only when its connection accepts bytes.
  func flush(_ index: Int, at now: Duration) {
    switch table.streams[index]?.flush(at: now) {
    case .more:
      guard let readers = table.streams[index]?.state.readers else { return }
      readers.startRound()
      table.enqueue(readers)
    case .over: close(index)
    case .caughtUp, .blocked, nil: break
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
    table.tally.flush(to: metrics)
    for index in table.streams.indices {
      switch table.streams[index]?.state.due(at: now, stall: limits.stall) {
      case .flush: flush(index, at: now)
      case .reset: close(index)
      case nil: break
      }
    }
    scheduleDeadlineCheck()
  }
}
