import Testing

@testable import HTTPSignals

/// Searching and comparing bytes, eight at a time.
@Suite struct UTF8TextTests {
  @Test(arguments: [0x00, 0x01, 0x0D, 0x26, 0x7F, 0x80, 0x81, 0xFF] as [UInt8])
  func `finds the first of a byte in any range`(byte: UInt8) {
    for length in 0...20 {
      for position in 0..<length {
        var bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        bytes = bytes.map { $0 == byte ? $0 ^ 1 : $0 }
        bytes[position] = byte
        let isFound = bytes.withUnsafeBufferPointer { bytes in
          (0...length).allSatisfy { start in
            (start...length).allSatisfy { end in
              bytes.firstIndex(of: byte, in: start..<end)
                == (start..<end).first { bytes[$0] == byte }
            }
          }
        }
        #expect(isFound, "\(position) of \(length)")
      }
    }
  }

  @Test func `finds a sequence of bytes, and no part of it at the end`() {
    let text = Array("a\r\nb\r\n--x\r\n--xyz123456\r\n--xyz12345".utf8)
    let pattern = Array("\r\n--xyz123456".utf8)
    text.withUnsafeBufferPointer { text in
      pattern.withUnsafeBufferPointer { pattern in
        #expect(text.firstIndex(of: pattern, in: 0..<text.count) == 9)
        #expect(text.firstIndex(of: pattern, in: 10..<text.count) == nil)
        #expect(text.firstIndex(of: pattern, in: 0..<20) == nil)
      }
    }
  }

  @Test func `compares sequences of any length`() {
    for length in 0...40 {
      let left = [UInt8](repeating: 0x61, count: length)
      for position in 0..<length {
        var right = left
        right[position] ^= 0x80
        left.withUnsafeBufferPointer { left in
          #expect(left.hasSameBytes(as: left))
          right.withUnsafeBufferPointer { right in
            #expect(!left.hasSameBytes(as: right))
            #expect(!left.hasSameBytes(as: UnsafeBufferPointer(rebasing: right[..<position])))
          }
        }
      }
    }
  }
}
