package import CResources
internal import Glibc

// Inlinable, because parsers call it for each byte.

extension UInt8 {
  @inlinable package var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

  @inlinable
  package var isASCIILetter: Bool {
    let letter = self | 0x20
    return letter >= 0x61 && letter <= 0x7A
  }

  @inlinable package var isASCIIUppercase: Bool { self >= 0x41 && self <= 0x5A }

  @inlinable package var asciiLowercased: UInt8 { isASCIIUppercase ? self | 0x20 : self }

  /// The value of this byte as a hexadecimal digit; `nil` for any other byte.
  @inlinable
  package var hexadecimalValue: UInt8? {
    if isASCIIDigit { return self - 0x30 }
    let letter = self | 0x20
    return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
  }
}

extension String {
  /// Creates a text from bytes, with ASCII letters in lowercase from index `start` on, and without
  /// an intermediate copy; bytes that are not UTF-8 are replaced by U+FFFD.
  @inlinable
  package init(asciiLowercasing bytes: Slice<UnsafeBufferPointer<UInt8>>, from start: Int = 0) {
    self.init(unsafeUninitializedCapacity: bytes.count) { text in
      for index in bytes.indices {
        let byte = index < start ? bytes[index] : bytes[index].asciiLowercased
        text.initializeElement(at: index - bytes.startIndex, to: byte)
      }
      return bytes.count
    }
  }

  /// Creates a text from a buffer of fixed size that a C function has filled.
  ///
  /// The text ends before the first null byte, or with the buffer. Bytes that are not UTF-8 are
  /// replaced by U+FFFD.
  @inlinable
  package init(cBuffer buffer: [CChar]) {
    self = buffer.withUnsafeBytes { String(cBuffer: $0) }
  }

  /// Creates a text in the same way from memory such as the path in a `sockaddr_un`.
  @inlinable
  package init(cBuffer buffer: UnsafeRawBufferPointer) {
    self.init(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns whether all bytes of the UTF-8 satisfy a condition.
  ///
  /// The loop runs over a buffer, which takes a quarter of the instructions of `utf8.allSatisfy`.
  @inlinable
  package func allBytes(satisfy condition: (UInt8) -> Bool) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy(condition) }
      ?? utf8.allSatisfy(condition)
  }

  /// Returns whether the UTF-8 of the text begins with that of another.
  ///
  /// The comparison of two buffers takes a fraction of the time of `utf8.starts(with:)`: a path
  /// without a route is compared with a dozen patterns.
  package func starts(withBytesOf prefix: String) -> Bool {
    let isPrefix = utf8.withContiguousStorageIfAvailable { bytes in
      prefix.utf8.withContiguousStorageIfAvailable { prefix in
        guard let start = bytes.baseAddress, let other = prefix.baseAddress else {
          return prefix.isEmpty
        }
        return bytes.count >= prefix.count && memcmp(start, other, prefix.count) == 0
      }
    }
    return isPrefix.flatMap(\.self) ?? utf8.starts(with: prefix.utf8)
  }
}

extension UInt64 {
  /// Returns a bit for each of the eight bytes that may be a control character, which is one below
  /// 0x20 or 0x7F, or one of two others; 0 if and only if none is.
  ///
  /// Byte by byte, the check of texts was a twentieth of the instructions of a rejection.
  @inlinable
  package func controlBytes(or first: UInt8 = 0x7F, _ second: UInt8 = 0x7F) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // In each byte, the highest bit says whether it was less than a limit; a borrow comes only from
    // a byte that was.
    func less(_ word: UInt64, than limit: UInt64) -> UInt64 { (word &- ones &* limit) & ~word }
    let found =
      less(self, than: 0x20) | less(self ^ ones &* 0x7F, than: 1)
      | less(self ^ ones &* UInt64(first), than: 1) | less(self ^ ones &* UInt64(second), than: 1)
    return found & (ones &* 0x80)
  }
}

extension StringProtocol {
  /// This text with its percent-encoding decoded (RFC 3986 §2.1); `nil` if an escape is malformed,
  /// or if the result is not UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalValue,
        let low = rest.popFirst()?.hexadecimalValue
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension Resource {
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
