internal import HTTPSignals
internal import Signals

/// An open stream that is written straight to its socket: a place in a log, and little more.
struct DirectStream {
  /// What became of a flush.
  enum Progress {
    /// Everything there is was sent.
    case caughtUp
    /// There is more, for the next flush.
    case more
    /// The socket takes no more at the moment.
    case blocked
    /// The stream is over; its socket is to be closed.
    case over
    /// The client does not read, or too slowly; its connection is to be reset.
    case stalled
  }

  /// How many frames one flush sends: a client that is far behind does not hold up the others.
  private static let maximumFramesPerFlush = 4

  let socket: StreamSocket
  /// Tells the streams apart that have had the same index.
  let generation: UInt32
  let readers: LogReaders
  let client: ClientAddress
  let source: (any Disposable)?
  /// Where it stands in its group.
  var readerIndex = 0
  /// Whether epoll is asked to tell when the socket takes more.
  var awaitsRoom = false
  private let framing: StreamFraming
  private var position: UInt64
  /// What is being sent, and how much of it was.
  private var pending: StreamFrame?
  private var sentCount = 0
  /// When the socket took nothing any more.
  private var blockedSince: Duration?
  private var isEnding = false
  private var hasEnded = false
  private var deadlines: StreamDeadlines

  init(
    of stream: EventStream,
    on socket: StreamSocket,
    in readers: LogReaders,
    generation: UInt32,
    for request: StreamRequest,
    deadlines: StreamDeadlines
  ) {
    self.socket = socket
    self.readers = readers
    self.generation = generation
    self.deadlines = deadlines
    client = request.client
    framing = request.framing
    source = stream.source
    position = stream.position
    pending = StreamFrame(StreamPreamble.bytes + stream.opening)
  }

  // MARK: Sending

  /// Sends what there is, as far as the socket takes it.
  mutating func advance(at now: Duration) -> Progress {
    for _ in 0..<Self.maximumFramesPerFlush {
      if pending == nil {
        switch readers.content(from: position) {
        case .frame(let frame, let next):
          pending = frame
          position = next
        case .upToDate:
          if !isEnding { return .caughtUp }
          pending = .end
        case .finished:
          // A moment after the last event: a client that is just reading it is not cut.
          if !isEnding {
            deadlines.end(by: now + .milliseconds(Int.random(in: 200...1000)))
            return .caughtUp
          }
          pending = .end
        case .outside:
          pending = .end
        }
        sentCount = 0
      }
      if let stopped = sendPending(at: now) { return stopped }
    }
    return .more
  }

  /// Sends what is pending.
  ///
  /// - Returns: `nil` when all of it was sent and there may be more.
  private mutating func sendPending(at now: Duration) -> Progress? {
    guard let frame = pending else { return nil }
    let (sent, restCount) = frame.withRest(after: sentCount, framing: framing) { rest in
      (rest.isEmpty ? .bytes(0) : socket.send(rest), rest.count)
    }
    switch sent {
    case .bytes(let count):
      deadlines.wrote(at: now)
      guard count == restCount else {
        sentCount += count
        blockedSince = now
        return .blocked
      }
      blockedSince = nil
      pending = nil
      hasEnded = frame === StreamFrame.end
      return hasEnded ? .over : nil
    case .none:
      if blockedSince == nil { blockedSince = now }
      return .blocked
    case .gone:
      return .over
    }
  }

  /// Sends what there is and the end, as far as the socket takes it now.
  mutating func finish(at now: Duration) {
    isEnding = true
    while case .more = advance(at: now) {}
  }

  // MARK: Closing

  /// Has the socket reset when it is closed before the end was sent, by whomever, where only the
  /// close tells the client where the stream ends: it must not take half an event for a whole one.
  func protectEnd() {
    switch framing {
    case .chunked: break
    case .untilClose: setResetsOnClose(true, of: socket.descriptor)
    }
  }

  /// Closes the socket.
  ///
  /// - Parameter isStalled: Whether the client does not read: its connection is reset then.
  func close(isStalled: Bool) {
    switch framing {
    case .chunked where !isStalled, .untilClose where hasEnded: socket.close()
    case .chunked, .untilClose: socket.reset()
    }
  }

  // MARK: Time

  /// Has the stream end at a time: after what is there by then was sent.
  mutating func end(by time: Duration) {
    deadlines.end(by: time)
  }

  /// Looks at the clock.
  ///
  /// - Parameters:
  ///   - now: The loop's clock.
  ///   - stall: How long the socket may take nothing, and how long after its time is over the stream
  ///     may take to send what there is.
  /// - Returns: What became of it, when something was due.
  mutating func checkDeadlines(at now: Duration, stall: Duration) -> Progress? {
    if deadlines.isOver(at: now - stall) { return .stalled }
    if let blockedSince { return now - blockedSince >= stall ? .stalled : nil }
    if !isEnding, deadlines.isOver(at: now) {
      isEnding = true
      return advance(at: now)
    }
    if pending == nil, deadlines.needsHeartbeat(at: now) {
      pending = .heartbeat
      sentCount = 0
      return advance(at: now)
    }
    return nil
  }
}
