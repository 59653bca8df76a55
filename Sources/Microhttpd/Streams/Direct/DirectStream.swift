internal import HTTPSignals
internal import Networking
internal import Signals

/// An open stream that is written directly to its socket; its main state is a position in a log.
struct DirectStream: TableStream {
  enum Progress {
    /// Everything in the log was sent.
    case caughtUp
    /// The next flush has more to send.
    case more
    /// The socket accepts no more bytes at the moment.
    case blocked
    /// The stream is over; close its socket.
    case over
    /// The client does not read, or reads too slowly; reset its connection.
    case stalled
  }

  /// The maximum number of frames per flush, so that a client far behind does not delay the others.
  private static let maximumFramesPerFlush = 4

  let socket: StreamSocket
  /// A number that distinguishes the streams that have used the same index.
  let generation: UInt32
  let readers: LogReaders
  let client: ClientAddress
  let source: (any Disposable)?
  var readerIndex = 0
  /// Whether epoll reports when the socket accepts more bytes.
  var awaitsRoom = false
  private let framing: StreamFraming
  private var position: UInt64
  /// The frame that is being sent.
  private var pending: StreamFrame?
  /// The number of bytes of the pending frame that were sent.
  private var sentCount = 0
  /// The time since which the socket accepts no bytes; `nil` if it does.
  private var blockedSince: Duration?
  private var isEnding = false
  private var hasEnded = false
  /// The reason for the end that is being sent, or was sent.
  private var endReason = StreamEnd.lifetime
  /// The position after the last event that existed when the stream was opened.
  private let replayEnd: UInt64
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
    replayEnd = stream.log.head
    pending = StreamFrame(StreamPreamble.bytes + stream.opening)
  }

  // MARK: Sending

  /// Sends pending bytes and new events, as far as the socket accepts them.
  mutating func advance(at now: Duration) -> Progress {
    for _ in 0..<Self.maximumFramesPerFlush {
      if pending == nil {
        switch readers.content(from: position) {
        case .frame(let frame, let next):
          pending = frame
          readers.tally.add(from: position, to: next, replayEnd: replayEnd)
          position = next
        case .upToDate:
          if !isEnding { return .caughtUp }
          pending = .end
        case .finished:
          // End the stream a moment after the last event, which gives the client time to read it.
          if !isEnding {
            deadlines.end(by: now + .milliseconds(Int.random(in: 200...1000)))
            return .caughtUp
          }
          endReason = .finished
          pending = .end
        case .outside:
          endReason = .behind
          pending = .end
        }
        sentCount = 0
      }
      if let stopped = sendPending(at: now) { return stopped }
    }
    return .more
  }

  /// Sends the pending frame; returns `nil` if all of it was sent and more frames may follow.
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

  /// Sends the remaining events and the end, as far as the socket accepts them now.
  mutating func finish(at now: Duration) {
    isEnding = true
    while case .more = advance(at: now) {}
  }

  // MARK: Closing

  /// Returns the reason for the end of the stream, once it is over.
  func end(whileDraining isDraining: Bool) -> StreamEnd {
    guard hasEnded else { return .client }
    return endReason == .lifetime && isDraining ? .draining : endReason
  }

  /// Makes any close of the socket before the end of the stream a reset, if the close alone marks
  /// that end.
  ///
  /// Otherwise the client could treat part of an event as complete.
  func protectEnd() {
    switch framing {
    case .chunked: break
    case .untilClose: setResetsOnClose(true, of: socket.descriptor)
    }
  }

  /// Closes the socket, and resets the connection of a stalled client.
  func close(isStalled: Bool) {
    switch framing {
    case .chunked where !isStalled, .untilClose where hasEnded: socket.close()
    case .chunked, .untilClose: socket.reset()
    }
  }

  // MARK: Deadlines

  /// Moves the end of the stream to a time, unless the stream ends earlier; events that exist by
  /// then are still sent.
  mutating func end(by time: Duration) {
    deadlines.end(by: time)
  }

  /// Sends a heartbeat or ends the stream if that is due.
  ///
  /// - Parameter stall: The time for which the socket may accept no bytes, and the time that the
  ///   stream may take for its remaining events after its end is due.
  /// - Returns: `nil` if nothing was due.
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
