/// Finds where records begin in what is received over TLS, and what they hold (RFC 8446 §5.1; the
/// same in TLS 1.2).
struct TLSRecordScanner {
  private static let handshake: UInt8 = 22
  private static let headerBytes = 5

  /// How much of a header was seen, from 0 to 4.
  private var seenHeaderBytes = 0
  private var contentBytes = 0
  /// How much of a record's content is still to come.
  private var remainingContentBytes = 0

  /// Takes the next bytes of the connection, divided in any way.
  ///
  /// - Returns: Whether a record that is marked as part of a handshake begins in them.
  mutating func beginsHandshakeRecord(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var found = false
    var index = 0
    while index < bytes.count {
      if remainingContentBytes > 0 {
        let count = min(remainingContentBytes, bytes.count - index)
        remainingContentBytes -= count
        index += count
        continue
      }
      let byte = bytes[index]
      index += 1
      switch seenHeaderBytes {
      case 0: if byte == Self.handshake { found = true }
      case 3: contentBytes = Int(byte) << 8
      case 4: remainingContentBytes = contentBytes | Int(byte)
      default: break  // the version
      }
      seenHeaderBytes = (seenHeaderBytes + 1) % Self.headerBytes
    }
    return found
  }
}
