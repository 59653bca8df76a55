import Platform
import Testing

/// Tests of texts in C buffers.
@Suite struct CBufferTests {
  @Test func `ends a text before the first null byte`() {
    #expect(String(cBuffer: [0x61, 0x62, 0, 0x63]) == "ab")
    #expect(String(cBuffer: [0, 0x61]).isEmpty)
    #expect(String(cBuffer: [CChar]()).isEmpty)
  }

  @Test func `ends a text without a null byte with the buffer`() {
    #expect(String(cBuffer: [0x61, 0x62]) == "ab")
  }

  @Test func `decodes UTF-8 and replaces other bytes`() {
    #expect(String(cBuffer: Array("\u{FC}".utf8CString)) == "\u{FC}")
    #expect(String(cBuffer: [0x61, -1, 0]) == "a\u{FFFD}")
  }

  @Test func `reads raw memory`() {
    let text = withUnsafeBytes(of: (UInt8(0x2F), UInt8(0x61), UInt8(0))) { String(cBuffer: $0) }
    #expect(text == "/a")
  }
}
