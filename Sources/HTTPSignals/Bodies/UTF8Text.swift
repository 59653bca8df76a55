extension String {
  /// Creates a string from bytes; `nil` if they are not well-formed UTF-8.
  ///
  /// `String(validating:)` is not specialized in the standard library and takes several times as
  /// long. Almost all text is ASCII, which needs an even cheaper check.
  init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.isASCII {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      do throws(UTF8.ValidationError) {
        self.init(copying: try UTF8Span(validating: bytes.span))
      } catch {
        return nil
      }
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether no byte has its highest bit set.
  var isASCII: Bool {
    let words = UnsafeRawBufferPointer(self)
    var bits: UInt64 = 0
    var index = 0
    while index + 8 <= words.count {
      bits |= words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < words.count {
      bits |= UInt64(words[index])
      index += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Whether the bytes are well-formed UTF-8; creates no `String`.
  var isWellFormedUTF8: Bool {
    if isASCII { return true }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: span)
      return true
    } catch {
      return false
    }
  }

  subscript(part range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[range])
  }

  /// Returns the index of a sequence of bytes; `nil` if the range does not contain all of it.
  ///
  /// The sequence has at least one byte, and its first byte occurs in it only once.
  func firstIndex(of pattern: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
    guard let first = pattern.first else { return nil }
    var index = range.lowerBound
    while let found = firstIndex(of: first, in: index..<range.upperBound) {
      guard range.upperBound - found >= pattern.count else { return nil }
      if self[part: found..<(found + pattern.count)].hasSameBytes(as: pattern) { return found }
      index = found + 1
    }
    return nil
  }

  /// Returns the index of a byte, reading eight at a time; `nil` if the range does not contain it.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    let bytes = UnsafeRawBufferPointer(self)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let wanted = ones &* UInt64(byte)
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let difference = UInt64(littleEndian: word) ^ wanted
      // The lowest bit that is set belongs to the first byte that does not differ.
      let zeros = (difference &- ones) & ~difference & (ones << 7)
      if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < range.upperBound {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// Returns whether another sequence has the same bytes; reads eight at a time.
  func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let left = UnsafeRawBufferPointer(self)
    let right = UnsafeRawBufferPointer(other)
    var index = 0
    while index + 8 <= count {
      let word = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word == right.loadUnaligned(fromByteOffset: index, as: UInt64.self) else {
        return false
      }
      index += 8
    }
    while index < count {
      guard left[index] == right[index] else { return false }
      index += 1
    }
    return true
  }
}
