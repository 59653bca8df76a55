internal import HTTPSignals
internal import Signals

/// The transport that lets libmicrohttpd write event streams, through its documented API; it serves
/// one event loop.
///
/// Streams of the same log share one hop to the loop for each advance. They are woken in parts,
/// because libmicrohttpd writes to all resumed connections before it handles requests again.
// @unchecked Sendable because all of it is used on the loop's thread only.
final class LibraryTransport: EventStreamTransport, @unchecked Sendable {
  /// The number of streams that are woken before requests get their turn.
  private static let wakesPerPart = 16

  let loop: EventLoop
  let limits: StreamLimits

  private let admission: StreamAdmission
  private let metrics: DaemonMetrics
  private var isDraining = false
  private var table = StreamTable<LibraryStream>()
  private var willWake = false
  private var checksDeadlines = false

  init(
    on loop: EventLoop,
    limits: StreamLimits,
    admission: StreamAdmission,
    metrics: DaemonMetrics
  ) {
    self.loop = loop
    self.limits = limits
    self.admission = admission
    self.metrics = metrics
  }

  var kind: StreamTransport { .library }

  var count: Int { table.count }

  func canServe(_ connection: OpaquePointer) -> Bool { true }

  // MARK: Opening and closing

  func makeResponse(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> MHDResponse? {
    let opened = LibraryStream(
      of: stream,
      for: request,
      on: connection,
      through: self,
      readers: readers(of: stream.log)
    )
    // Follow the log before the first read, so that no event is missed.
    opened.index = table.insert(opened)
    scheduleDeadlineCheck()
    let made = makeResponse(
      reading: opened,
      framing: request.framing,
      partBytes: 2048,
      reader: streamReader,
      free: streamFreeHandler
    )
    if made == nil { opened.close() }
    return made
  }

  private func readers(of log: EventLog) -> LogReaders {
    table.readers(of: log) { readers in
      readers.follow(on: loop) { [weak self] readers in
        self?.table.enqueue(readers)
        self?.wakePart()
      }
    }
  }

  /// Removes a stream that has ended.
  func closed(
    _ closed: LibraryStream,
    _ stream: EventStream,
    _ request: StreamRequest,
    because end: StreamEnd
  ) {
    _ = table.remove(at: closed.index)
    metrics.count(end == .lifetime && isDraining ? .draining : end)
    table.tally.flush(to: metrics)
    stream.source?.dispose()
    admission.leave(request.client, kind)
  }

  func drain(within time: Duration) {
    isDraining = true
    forEach { $0.end(by: loop.now + time * Double.random(in: 0..<1)) }
  }

  func endAll() {
    isDraining = true
    forEach { $0.endNow() }
  }

  private func forEach(_ body: (LibraryStream) -> Void) {
    for index in table.streams.indices {
      guard let stream = table.streams[index] else { continue }
      body(stream)
    }
  }

  // MARK: Waking

  /// Wakes a part of the streams that are due; the loop does its other work before the next part.
  private func wakePart() {
    guard !willWake else { return }
    for _ in 0..<Self.wakesPerPart {
      guard let index = table.takePending() else { return }
      table.streams[Int(index)]?.wake()
    }
    guard table.hasPending else { return }
    willWake = true
    loop.run { [weak self] in
      self?.willWake = false
      self?.wakePart()
    }
  }

  // MARK: Deadlines

  /// Schedules the next check of the deadlines, if streams are open.
  private func scheduleDeadlineCheck() {
    guard !checksDeadlines, count > 0 else { return }
    checksDeadlines = true
    loop.schedule(after: limits.deadlineCheckInterval) { [weak self] in
      self?.checkDeadlines()
    }
  }

  private func checkDeadlines() {
    checksDeadlines = false
    let now = loop.now
    table.tally.flush(to: metrics)
    forEach { $0.checkDeadlines(at: now) }
    scheduleDeadlineCheck()
  }
}
