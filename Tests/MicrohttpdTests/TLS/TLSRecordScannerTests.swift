import Testing

@testable import Microhttpd

/// Finding handshake records in received TLS records.
@Suite struct TLSRecordScannerTests {
  /// Makes a record whose content looks like the start of a handshake record.
  private func record(_ type: UInt8, _ count: Int) -> [UInt8] {
    [type, 3, 3, UInt8(count >> 8), UInt8(count & 0xFF)] + Array(repeating: 22, count: count)
  }

  /// Returns the indices of the pieces in which a handshake record begins.
  private func find(in bytes: [UInt8], piecesOf size: Int) -> [Int] {
    var scanner = TLSRecordScanner()
    return stride(from: 0, to: bytes.count, by: size).enumerated().compactMap { piece, start in
      let part = bytes[start..<min(start + size, bytes.count)]
      return part.withUnsafeBytes { scanner.beginsHandshakeRecord($0) } ? piece : nil
    }
  }

  @Test(arguments: [1, 2, 3, 5, 7, 64])
  func `finds TLS handshake records however the bytes are divided`(_ size: Int) {
    let before = record(23, 300) + record(20, 1) + record(23, 0) + record(21, 2)
    #expect(find(in: before, piecesOf: size).isEmpty)
    let bytes = before + record(22, 4) + record(23, 9)
    #expect(find(in: bytes, piecesOf: size) == [before.count / size])
  }
}
