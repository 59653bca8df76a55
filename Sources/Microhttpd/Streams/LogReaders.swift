internal import HTTPSignals
internal import Signals
internal import Synchronization

/// The streams of one event loop that read the same log.
///
/// They are flushed in rounds. When the log advances, every stream must be flushed once more, and
/// the round continues at its current stream. So events that arrive faster than a round are sent
/// together, and no stream is always the last.
// @unchecked Sendable because everything except `isAdvancePending` is used on the loop's thread
// only.
final class LogReaders: @unchecked Sendable {
  /// The content of the log at a stream's position.
  enum Content {
    /// Blocks to send, and the position after them.
    case frame(StreamFrame, next: UInt64)
    /// There is no content yet.
    case upToDate
    /// The log is finished: there will be no more content.
    case finished
    /// The position is no longer in the log.
    case outside
  }

  let log: EventLog
  let tally: StreamTally
  private(set) var members: [Int32] = []
  private var nextMember = 0
  private var pendingCount = 0
  private var recent: (from: UInt64, frame: StreamFrame, next: UInt64)?
  private var knownHead: UInt64?
  private let subscription = SerialDisposable()
  /// Whether an advance of the log has been scheduled on the loop and not handled yet.
  private let isAdvancePending = Atomic(false)

  init(log: EventLog, tally: StreamTally = StreamTally()) {
    self.log = log
    self.tally = tally
  }

  // MARK: The log

  /// Follows the log until ``leaveLog()`` is called.
  ///
  /// - Parameter advanced: Called on the loop, once for all advances since the previous call.
  func follow(on loop: EventLoop, _ advanced: @escaping @Sendable (LogReaders) -> Void) {
    let following = log.advances.subscribe(next: {
      guard !self.isAdvancePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
      loop.run {
        self.isAdvancePending.store(false, ordering: .releasing)
        self.knownHead = nil
        self.recent = nil
        self.startRound()
        advanced(self)
      }
    })
    subscription.replace(with: following)
  }

  /// Stops following the log.
  func leaveLog() {
    subscription.dispose()
  }

  /// Returns the content at a position; streams at the same position share one frame.
  ///
  /// - Parameter maximumBytes: The maximum number of bytes in a frame, unless one block has more.
  func content(from position: UInt64, atMost maximumBytes: Int) -> Content {
    if position == knownHead { return .upToDate }
    if let recent, recent.from == position, recent.frame.count <= maximumBytes {
      return .frame(recent.frame, next: recent.next)
    }
    return withUnsafeTemporaryAllocation(byteCount: maximumBytes, alignment: 1) { buffer in
      switch log.read(from: position, into: buffer) {
      case .copied(let count, let next):
        let frame = StreamFrame(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        recent = (position, frame, next)
        return .frame(frame, next: next)
      case .tooLong(let block, let next):
        return .frame(block.withUnsafeBytes { StreamFrame($0) }, next: next)
      case .upToDate:
        knownHead = position
        return .upToDate
      case .finished: return .finished
      case .outside: return .outside
      }
    }
  }

  // MARK: Rounds

  var hasPending: Bool { pendingCount > 0 }

  /// Starts a round in which every stream is flushed once more.
  func startRound() {
    pendingCount = members.count
  }

  /// Takes the next stream to flush; `nil` at the end of the round.
  func takePending() -> Int32? {
    guard pendingCount > 0 else { return nil }
    pendingCount -= 1
    if nextMember >= members.count { nextMember = 0 }
    defer { nextMember += 1 }
    return members[nextMember]
  }

  /// Adds a stream.
  func add(_ member: Int32) -> Int {
    // The new stream may be next in this round, which must still reach every stream that is due.
    if hasPending { pendingCount += 1 }
    members.append(member)
    return members.count - 1
  }

  /// Removes a stream, and moves the last stream to its index.
  ///
  /// - Returns: The moved stream; `nil` if none was moved.
  func remove(at index: Int) -> Int32? {
    // The moved stream may already have been flushed in this round, so flush every stream again.
    if hasPending { startRound() }
    let last = members.removeLast()
    pendingCount = min(pendingCount, members.count)
    guard index < members.count else { return nil }
    members[index] = last
    return last
  }
}
