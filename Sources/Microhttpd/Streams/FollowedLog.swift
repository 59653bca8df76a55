internal import HTTPSignals
internal import Signals
internal import Synchronization

/// A log that streams read, with the frame that those at the same position share.
// @unchecked Sendable because everything except `isAdvancePending` is used on the loop's thread.
final class FollowedLog: @unchecked Sendable {
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
  /// Frames end at multiples of this position, so that streams that replay share them from there on.
  private static let eventsPerPart: UInt64 = 100
  /// The maximum number of such frames that are kept, in some two megabytes.
  private static let maximumPartCount = 128

  let log: EventLog
  private(set) var readers: [Stream] = []
  private var recent: (from: UInt64, frame: StreamFrame, next: UInt64)?
  /// Complete frames between two multiples, by the position of their first event.
  private var parts: [UInt64: StreamFrame] = [:]
  private var knownHead: UInt64?
  private let subscription = SerialDisposable()
  /// Whether an advance of the log has been scheduled on the loop and not handled yet.
  private let isAdvancePending = Atomic(false)

  init(_ log: EventLog) { self.log = log }

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

  func leave() { subscription.dispose() }

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

  func content(from position: UInt64) -> Content {
    if position == knownHead { return .upToDate }
    if let recent, recent.from == position { return .frame(recent.frame, next: recent.next) }
    let end = (position / Self.eventsPerPart + 1) * Self.eventsPerPart
    if let part = parts[position] { return .frame(part, next: end) }
    switch log.read(from: position, upTo: end, atMost: Self.maximumFrameBytes) {
    case .blocks(let blocks, let next):
      let frame = StreamFrame(blocks)
      recent = (position, frame, next)
      // The log of a single client shares nothing.
      if next == end, next - position == Self.eventsPerPart, readers.count > 1 {
        if parts.count == Self.maximumPartCount { parts.removeAll(keepingCapacity: true) }
        parts[position] = frame
      }
      return .frame(frame, next: next)
    case .upToDate:
      knownHead = position
      return .upToDate
    case .finished: return .finished
    case .outside: return .outside
    }
  }
}

/// An encoded frame of a stream: complete blocks in one chunk.
///
/// It is encoded once and shared by all streams at the same position. The same bytes serve both
/// framings, because the chunk contains the blocks unchanged.
final class StreamFrame: Sendable {
  private let bytes: [UInt8]
  private let contentStart: Int
  private let contentEnd: Int

  /// Encodes blocks as a chunk (RFC 9112 §7.1); not for empty content, because an empty chunk would
  /// end the stream.
  init(_ content: some Collection<UInt8>) {
    let size = String(content.count, radix: 16)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.utf8.count + content.count + 4)
    bytes.append(contentsOf: size.utf8)
    bytes.append(contentsOf: "\r\n".utf8)
    contentStart = bytes.count
    bytes.append(contentsOf: content)
    contentEnd = bytes.count
    bytes.append(contentsOf: "\r\n".utf8)
    self.bytes = bytes
  }

  private init(lastChunk: String) {
    bytes = Array(lastChunk.utf8)
    contentStart = bytes.count
    contentEnd = bytes.count
  }

  /// A keep-alive comment, without a blank line, because some clients treat that as an event.
  static let heartbeat = StreamFrame(":\n".utf8)

  /// A keep-alive event, without an id, so that the client's position remains.
  ///
  /// It has data, because a browser drops events without.
  static let ping = StreamFrame("event: ping\ndata: {}\n\n".utf8)

  /// The end of a stream: the last chunk, or no bytes if the close of the connection is the end.
  static let end = StreamFrame(lastChunk: "0\r\n\r\n")

  /// Calls a closure with the bytes after the first `sent` in this framing, valid until the closure
  /// returns.
  func withRest<Result>(
    after sent: Int, framing: StreamFraming, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { bytes in
      switch framing {
      case .chunked: body(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
      case .untilClose:
        body(UnsafeRawBufferPointer(rebasing: bytes[(contentStart + sent)..<contentEnd]))
      }
    }
  }
}
