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

extension UnsafeRawBufferPointer {
  /// Returns whether a byte is a control character, which is one below 0x20 or 0x7F, or one of two
  /// others, which are not letters.
  ///
  /// Checks eight bytes at a time: one by one, it was a twentieth of the instructions of a rejection.
  package func containsControl(or first: UInt8 = 0x7F, _ second: UInt8 = 0x7F) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let del = ones &* 0x7F
    let first = ones &* UInt64(first)
    let second = ones &* UInt64(second)
    // In each byte, the highest bit of the result says whether the byte was below a limit; a borrow
    // comes only from a byte that was.
    func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word }
    func found(in word: UInt64) -> UInt64 {
      below(0x20, word) | below(1, word ^ del) | below(1, word ^ first) | below(1, word ^ second)
    }
    var bits: UInt64 = 0
    var index = 0
    while index + 8 <= count {
      bits |= found(in: loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    // The rest is filled up with a letter.
    var rest = ones &* 0x61
    while index < count {
      rest = rest << 8 | UInt64(self[index])
      index += 1
    }
    return (bits | found(in: rest)) & (ones &* 0x80) != 0
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
