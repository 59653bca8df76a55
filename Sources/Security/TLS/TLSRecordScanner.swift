/// A scanner that finds the headers of TLS records and their content types in received bytes (RFC
/// 8446 §5.1; the format is the same in TLS 1.2).
struct TLSRecordScanner {
  private static let handshake: UInt8 = 22
  private static let headerBytes = 5

  /// The number of header bytes seen so far, from 0 to 4.
  private var seenHeaderBytes = 0
  private var contentBytes = 0
  /// The number of content bytes of the current record that have not arrived yet.
  private var remainingContentBytes = 0

  /// Scans the next bytes of the connection, which may be split at any position.
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
