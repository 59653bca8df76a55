internal import HTTPSignals
internal import Platform
internal import Signals

/// An open event stream: its position in a log, the frame that is being sent, and its deadlines.
///
/// It decides what is sent next and what is due; ``StreamLoop`` gives it its turn.
///
/// A class, because changing a struct inside an array of the loop doubled the instructions of a
/// delivery: copies, and checks of exclusive access at each step.
final class Stream {
  enum Progress {
    case caughtUp
    case more
    case blocked
    /// The stream is over; close its socket.
    case over
  }

  enum Due {
    /// A heartbeat, or the end of the stream.
    case flush
    /// The client does not read, or reads too slowly; reset its connection.
    case reset
  }

  /// The maximum number of frames per turn, so that a client far behind does not delay the others.
  private static let maximumFramesPerTurn = 4

  // The order of the properties leaves the fewest gaps between them.

  let log: FollowedLog
  /// The data of the stream's epoll events; no two streams of a loop have the same.
  let id: UInt64
  /// The index of the stream among the readers of its log, which sets it.
  var readerIndex = 0
  let source: (any Disposable)?
  let socket: StreamSocket
  let client: ClientAddress
  let framing: StreamFraming
  private(set) var isOpen = true
  /// Whether the stream waits for a turn.
  var isQueued = false
  /// Whether the stream ends after the events that exist now.
  var isEnding = false
  private var hasEnded = false
  private let sendsPings: Bool
  /// The reason for the end, which is the client's unless the stream ends by itself.
  private(set) var endReason = StreamEnd.client
  private var position: UInt64
  /// The position after the last event that existed when the stream was opened.
  private let replayEnd: UInt64
  private var pending: StreamFrame?
  private var sentCount = 0
  private let heartbeat: Duration
  private var lastWrite: Duration
  private var end: Duration
  /// The time since which the socket accepts no bytes; `nil` if the stream waits for events.
  private(set) var blockedSince: Duration?

  /// Chooses deadlines at random, so that streams that opened together do not act together.
  init(
    _ id: UInt64, _ request: StreamRequest, on socket: StreamSocket, in log: FollowedLog,
    _ limits: StreamLimits, at now: Duration
  ) {
    self.id = id
    self.log = log
    self.socket = socket
    source = request.stream.source
    client = request.client
    framing = request.framing
    sendsPings = request.sendsPings
    position = request.stream.position
    replayEnd = log.log.head
    pending = StreamFrame(Self.preamble + request.stream.opening)
    heartbeat = limits.heartbeat * Double.random(in: 0.75...1)
    lastWrite = now - heartbeat * Double.random(in: 0..<1)
    let shortest = limits.lifetime.lowerBound
    end = now + shortest + (limits.lifetime.upperBound - shortest) * Double.random(in: 0...1)
  }

  /// A random `retry`, which spreads the reconnects after a restart, and a comment.
  ///
  /// There is no blank line, because some clients treat it as an event.
  private static var preamble: [UInt8] {
    Array("retry: \(Int.random(in: 2000...5000))\n: ok\n".utf8)
  }

  // MARK: Sending

  var isBlocked: Bool { blockedSince != nil }

  /// Sends what is pending and some of what is new, as far as the socket accepts it.
  func flush(at now: Duration, _ metrics: DaemonMetrics) -> Progress {
    for _ in 0..<Self.maximumFramesPerTurn {
      guard let frame = pending ?? nextFrame(at: now, metrics) else {
        blockedSince = nil
        return .caughtUp
      }
      pending = frame
      let (sent, restCount) = frame.withRest(after: sentCount, framing: framing) { rest in
        (rest.isEmpty ? .bytes(0) : socket.send(rest), rest.count)
      }
      switch sent {
      case .bytes(restCount):
        pending = nil
        sentCount = 0
        blockedSince = nil
        lastWrite = now
        hasEnded = frame === StreamFrame.end
        if hasEnded { return .over }
      case .bytes(let count):
        sentCount += count
        blockedSince = now
        lastWrite = now
        return .blocked
      case .none:
        blockedSince = blockedSince ?? now
        return .blocked
      case .gone: return .over
      }
    }
    return .more
  }

  /// Returns the frame at the position; `nil` if the stream waits for events or for its end.
  private func nextFrame(at now: Duration, _ metrics: DaemonMetrics) -> StreamFrame? {
    switch log.content(from: position) {
    case .frame(let frame, let next):
      metrics.countSent(from: position, to: next, replayEnd: replayEnd)
      position = next
      return frame
    case .upToDate where isEnding: endReason = .lifetime
    case .upToDate: return nil
    case .finished where isEnding: endReason = .finished
    case .finished:
      // A moment after the last event, which gives the client time to read it.
      end(by: now + .milliseconds(Int.random(in: 200...1000)))
      return nil
    case .outside: endReason = .behind
    }
    return .end
  }

  // MARK: Deadlines

  /// Moves the end to a time, unless the stream ends earlier; events that exist by then are still
  /// sent.
  func end(by time: Duration) {
    end = min(end, time)
  }

  /// Decides what is due; `stall` is the time for which the socket may accept no bytes, and that the
  /// stream may take for its remaining events after its end is due.
  func due(at now: Duration, stall: Duration) -> Due? {
    let isStalled = blockedSince.map { now - $0 >= stall } ?? false
    if isStalled || isEnding && end <= now - stall {
      endReason = .stalled
      return .reset
    }
    let endsNow = !isEnding && end <= now
    if endsNow { isEnding = true }
    if isBlocked { return nil }
    if endsNow { return .flush }
    guard now - lastWrite >= heartbeat else { return nil }
    // It also detects clients that have left.
    pending = sendsPings ? .ping : .heartbeat
    return .flush
  }

  /// Closes the socket, and resets it if the client is stalled or could take the close for the end
  /// of the stream.
  func close() {
    isOpen = false
    switch framing {
    case .chunked where endReason != .stalled, .untilClose where hasEnded: socket.close()
    case .chunked, .untilClose: socket.reset()
    }
  }
}
