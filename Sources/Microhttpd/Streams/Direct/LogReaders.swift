internal import HTTPSignals
internal import Signals
internal import Synchronization

/// The streams of one event loop that read the same log.
///
/// They are flushed in rounds. When the log has advanced, all have to be flushed once more; the
/// round goes on where it is, so that events that come faster than a round takes go out together,
/// and nobody is always last.
// @unchecked Sendable because all but `isAdvancePending` is touched on the loop's thread only.
final class LogReaders: @unchecked Sendable {
  /// What a stream finds at its position.
  enum Content {
    /// Blocks to send, and the position after them.
    case frame(StreamFrame, next: UInt64)
    /// Nothing yet.
    case upToDate
    /// Nothing ever.
    case finished
    /// The position is not in the log any more.
    case outside
  }

  /// How many bytes of blocks go into one frame; a client that does not read holds one.
  private static let maximumFrameBytes = 16 * 1024

  let log: EventLog
  private(set) var members: [Int32] = []
  private var nextMember = 0
  private var pendingCount = 0
  private var recent: (from: UInt64, frame: StreamFrame, next: UInt64)?
  private var knownHead: UInt64?
  private let subscription = SerialDisposable()
  /// Whether an advance of the log is on its way to the loop.
  private let isAdvancePending = Atomic(false)

  /// Makes a group of nobody.
  init(log: EventLog) {
    self.log = log
  }

  // MARK: The log

  /// Follows the log, until `leaveLog`.
  ///
  /// - Parameters:
  ///   - loop: Where `advanced` is called, once for all advances before the loop gets to it.
  ///   - advanced: Called after the log has advanced.
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

  /// Follows the log no more.
  func leaveLog() {
    subscription.dispose()
  }

  /// What a stream is sent next; the same frame for all that are at the same position.
  func content(from position: UInt64) -> Content {
    if position == knownHead { return .upToDate }
    if let recent, recent.from == position { return .frame(recent.frame, next: recent.next) }
    return withUnsafeTemporaryAllocation(
      byteCount: Self.maximumFrameBytes,
      alignment: 1
    ) { buffer in
      switch log.read(from: position, into: buffer) {
      case .copied(let count, let next):
        let frame = StreamFrame(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        recent = (position, frame, next)
        return .frame(frame, next: next)
      case .upToDate:
        knownHead = position
        return .upToDate
      case .finished: return .finished
      case .outside: return .outside
      }
    }
  }

  // MARK: Rounds

  /// Whether a stream is to be flushed.
  var hasPending: Bool { pendingCount > 0 }

  /// Has every stream flushed once more.
  func startRound() {
    pendingCount = members.count
  }

  /// The stream that is to be flushed next.
  func takePending() -> Int32? {
    guard pendingCount > 0 else { return nil }
    pendingCount -= 1
    if nextMember >= members.count { nextMember = 0 }
    defer { nextMember += 1 }
    return members[nextMember]
  }

  /// Takes a stream in.
  ///
  /// - Returns: Its index, for `remove`.
  func add(_ member: Int32) -> Int {
    members.append(member)
    return members.count - 1
  }

  /// Lets a stream go; the last one takes its place.
  ///
  /// - Returns: Whose index has changed, if anyone's.
  func remove(at index: Int) -> Int32? {
    // The stream that moves may have been before or behind the round's next member.
    if hasPending { startRound() }
    let last = members.removeLast()
    pendingCount = min(pendingCount, members.count)
    guard index < members.count else { return nil }
    members[index] = last
    return last
  }
}
