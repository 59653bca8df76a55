/// Bytes that are sent as they are: whole blocks, as one chunk.
///
/// Encoded once and shared by all streams that are at the same place. The same bytes serve both
/// framings: the blocks stand in the middle of the chunk.
final class StreamFrame: Sendable {
  private let bytes: [UInt8]
  private let contentStart: Int
  private let contentEnd: Int

  /// Makes the chunk (RFC 9112 §7.1) of some blocks.
  ///
  /// - Parameter content: The blocks; not empty, since an empty chunk is the last one.
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

  /// A comment that says that the server lives; no blank line, which some clients take for an event.
  static let heartbeat = StreamFrame(":\n".utf8)

  /// What tells that the stream has ended: nothing where the close does.
  static let end = StreamFrame(lastChunk: "0\r\n\r\n")

  /// Gives a body what is still to be sent.
  ///
  /// - Parameters:
  ///   - sent: How many bytes of this framing were sent.
  ///   - framing: How the stream is framed.
  ///   - body: Is given the rest; valid until it returns.
  /// - Returns: What the body returns.
  func withRest<Result>(
    after sent: Int,
    framing: StreamFraming,
    _ body: (UnsafeRawBufferPointer) -> Result
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
