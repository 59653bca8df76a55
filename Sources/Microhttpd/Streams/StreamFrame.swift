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

  /// The number of bytes of the content.
  var count: Int { contentEnd - contentStart }

  /// A keep-alive comment, without a blank line, because some clients treat that as an event.
  static let heartbeat = StreamFrame(":\n".utf8)

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
