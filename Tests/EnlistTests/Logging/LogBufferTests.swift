import Testing

@testable import enlist

@Suite struct LogBufferTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `a log buffer keeps lines in order until they are taken`() {
    var buffer = LogBuffer(capacity: 100)
    for line in ["a", "", "ä"] { buffer.append(line) }
    #expect(text(buffer.take()) == "a\n\nä\n")
    #expect(buffer.take().isEmpty)
  }

  @Test func `a log buffer accepts exactly as many bytes as its capacity`() {
    var buffer = LogBuffer(capacity: 8)
    buffer.append("abc")
    buffer.append("def")
    buffer.append("")
    #expect(text(buffer.take()) == "abc\ndef\n")
  }

  @Test func `bytes being written still count toward the capacity of a log buffer`() {
    var buffer = LogBuffer(capacity: 8)
    buffer.append("1234567")
    _ = buffer.take()
    #expect(!buffer.isEmpty)
    buffer.append("x")
    #expect(buffer.take().isEmpty)
  }

  @Test func `a log buffer reports the number of dropped lines as soon as there is room`() {
    var buffer = LogBuffer(capacity: 100)
    let line = String(repeating: "x", count: 99)
    buffer.append(line)
    for _ in 0..<12 { buffer.append("dropped") }
    let first = buffer.take()
    #expect(text(first) == line + "\n")
    buffer.release(50)
    #expect(text(buffer.take()) == "12 log lines dropped\n")
    buffer.release(50)
    #expect(buffer.take().isEmpty)
    buffer.append("after")
    #expect(text(buffer.take()) == "after\n")
  }

  @Test func `a log buffer adds no line after dropped lines before their count`() {
    var buffer = LogBuffer(capacity: 30)
    buffer.append(String(repeating: "x", count: 29))
    buffer.append("dropped")
    let count = buffer.take().count
    // There is room for a short line, but not for the count.
    buffer.release(10)
    buffer.append("y")
    #expect(buffer.take().isEmpty)
    buffer.release(count - 10)
    #expect(text(buffer.take()) == "2 log lines dropped\n")
  }

  @Test func `a log buffer never drops an essential line`() {
    var buffer = LogBuffer(capacity: 10)
    buffer.append("123456789")
    buffer.append("dropped")
    buffer.append("the reason", isEssential: true)
    #expect(text(buffer.take()) == "123456789\nthe reason\n")
  }

  @Test func `a log buffer is empty once all taken lines are written`() {
    var buffer = LogBuffer(capacity: 10)
    #expect(buffer.isEmpty)
    buffer.append("a")
    #expect(!buffer.isEmpty)
    buffer.release(buffer.take().count)
    #expect(buffer.isEmpty)
  }
}
