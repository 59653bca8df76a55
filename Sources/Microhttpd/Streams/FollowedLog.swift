internal import HTTPSignals
internal import Signals
internal import Synchronization

/// A log that streams read, with the frame that those at the same position share.
// @unchecked Sendable because everything except `isAdvancePending` is used on the loop's thread.
final class FollowedLog: @unchecked Sendable {
  /// The content of the log at a position.
  enum Content {
    /// Blocks to send, and the position after them.
    case frame(StreamFrame, next: UInt64)
    case upToDate
    /// There will be no more content.
    case finished
    /// The position is no longer in the log.
    case outside
  }

  /// The maximum number of bytes in a frame, unless one block has more; a client that does not read
  /// retains one frame.
  private static let maximumFrameBytes = 16 * 1024

  let log: EventLog
  /// The streams that read the log.
  private(set) var readers: [Stream] = []
  private var recent: (from: UInt64, frame: StreamFrame, next: UInt64)?
  private var knownHead: UInt64?
  private let subscription = SerialDisposable()
  /// Whether an advance of the log has been scheduled on the loop and not handled yet.
  private let isAdvancePending = Atomic(false)

  init(_ log: EventLog) {
    self.log = log
  }

  /// Follows the log until ``leave()`` is called.
  ///
  /// - Parameter advanced: Called on the loop, once for all advances since the previous call.
  func follow(on loop: EventLoop, _ advanced: @escaping @Sendable (FollowedLog) -> Void) {
    let following = log.advances.subscribe(next: {
      guard !self.isAdvancePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
      loop.run {
        self.isAdvancePending.store(false, ordering: .releasing)
        self.knownHead = nil
        self.recent = nil
        advanced(self)
      }
    })
    subscription.replace(with: following)
  }

  func leave() {
    subscription.dispose()
  }

  func add(_ reader: Stream) {
    reader.readerIndex = readers.count
    readers.append(reader)
  }

  func remove(_ reader: Stream) {
    let last = readers.removeLast()
    guard last !== reader else { return }
    readers[reader.readerIndex] = last
    last.readerIndex = reader.readerIndex
  }

  /// Returns the content at a position.
  func content(from position: UInt64) -> Content {
    if position == knownHead { return .upToDate }
    if let recent, recent.from == position { return .frame(recent.frame, next: recent.next) }
    switch log.read(from: position, atMost: Self.maximumFrameBytes) {
    case .blocks(let blocks, let next):
      let frame = StreamFrame(blocks)
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
