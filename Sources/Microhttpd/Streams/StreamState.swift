internal import HTTPSignals
internal import Platform
internal import Signals

/// The state of an open stream: its position in a log, the frame that is being sent, and its
/// deadlines.
///
/// It decides what is sent next and what is due. Its ``OpenStream`` writes the bytes.
struct StreamState {
  enum Progress {
    /// Everything in the log was sent.
    case caughtUp
    /// There may be more to send.
    case more
    /// The connection accepts no more bytes at the moment.
    case blocked
    /// The stream is over; close its connection.
    case over
  }

  enum Due {
    /// A heartbeat, or the end of the stream.
    case flush
    /// The client does not read, or reads too slowly; reset its connection.
    case reset
  }

  // The order of the properties leaves the fewest gaps between them.

  /// The index of the stream in its table.
  let index: Int
  let readers: LogReaders
  /// The index of the stream in ``readers``; only the table sets it.
  var readerIndex = 0
  let source: (any Disposable)?
  let client: ClientAddress
  let framing: StreamFraming
  /// Whether the stream ends after the events that exist now.
  var isEnding = false
  /// Whether the end was sent.
  private(set) var hasEnded = false
  /// The reason for the end, which is the client's unless the end is being sent.
  private(set) var endReason = StreamEnd.client
  private var position: UInt64
  /// The position after the last event that existed when the stream was opened.
  private let replayEnd: UInt64
  /// The frame that is being sent.
  private var pending: StreamFrame?
  /// The number of bytes of the pending frame that were sent.
  private var sentCount = 0
  private var deadlines: StreamDeadlines
  /// The time since which the connection accepts no bytes; `nil` if the stream waits for events.
  var blockedSince: Duration?

  init(_ request: StreamRequest, index: Int, in readers: LogReaders, deadlines: StreamDeadlines) {
    self.index = index
    self.readers = readers
    self.deadlines = deadlines
    client = request.client
    framing = request.framing
    source = request.stream.source
    position = request.stream.position
    replayEnd = request.stream.log.head
    pending = StreamFrame(Self.preamble + request.stream.opening)
  }

  /// A random `retry`, which spreads the reconnects after a restart, and a comment.
  ///
  /// There is no blank line, because some clients treat it as an event.
  private static var preamble: [UInt8] {
    Array("retry: \(Int.random(in: 2000...5000))\n: ok\n".utf8)
  }

  // MARK: Sending

  var isBlocked: Bool { blockedSince != nil }

  /// Sends the next frame, or the rest of the pending one, as far as the connection accepts it.
  ///
  /// - Parameters:
  ///   - maximumBytes: The maximum number of bytes of a new frame, unless one block has more.
  ///   - write: Writes bytes without blocking, and returns how many were accepted.
  mutating func send(
    at now: Duration, framing: StreamFraming, maximumBytes: Int,
    _ write: (UnsafeRawBufferPointer) -> RawSocket.Sent
  ) -> Progress {
    guard let frame = pending ?? nextFrame(at: now, maximumBytes) else {
      blockedSince = nil
      return .caughtUp
    }
    pending = frame
    let (sent, restCount) = frame.withRest(after: sentCount, framing: framing) { rest in
      (rest.isEmpty ? .bytes(0) : write(rest), rest.count)
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
      sentCount = 0
      hasEnded = frame === StreamFrame.end
      return hasEnded ? .over : .more
    case .none:
      blockedSince = blockedSince ?? now
      return .blocked
    case .gone:
      return .over
    }
  }

  /// Returns the frame at the position; `nil` if the stream waits for events or for its end.
  private mutating func nextFrame(at now: Duration, _ maximumBytes: Int) -> StreamFrame? {
    switch readers.content(from: position, atMost: maximumBytes) {
    case .frame(let frame, let next):
      readers.tally.add(from: position, to: next, replayEnd: replayEnd)
      position = next
      return frame
    case .upToDate:
      guard isEnding else { return nil }
      endReason = .lifetime
    case .finished:
      guard isEnding else {
        // End the stream a moment after the last event, which gives the client time to read it.
        end(by: now + .milliseconds(Int.random(in: 200...1000)))
        return nil
      }
      endReason = .finished
    case .outside:
      endReason = .behind
    }
    return .end
  }

  // MARK: Deadlines

  /// Moves the end of the stream to a time, unless the stream ends earlier; events that exist by
  /// then are still sent.
  mutating func end(by time: Duration) {
    deadlines.end(by: time)
  }

  /// Decides what is due: a heartbeat, the end of the stream, or a reset of its connection.
  ///
  /// - Parameter stall: The time for which the connection may accept no bytes, and the time that
  ///   the stream may take for its remaining events after its end is due.
  mutating func due(at now: Duration, stall: Duration) -> Due? {
    let isStalled = blockedSince.map { now - $0 >= stall } ?? false
    if isStalled || isEnding && deadlines.isOver(at: now - stall) {
      endReason = .stalled
      return .reset
    }
    let endsNow = !isEnding && deadlines.isOver(at: now)
    if endsNow { isEnding = true }
    if isBlocked { return nil }
    if endsNow { return .flush }
    guard deadlines.needsHeartbeat(at: now) else { return nil }
    // A heartbeat also detects clients that have left.
    pending = .heartbeat
    return .flush
  }
}
