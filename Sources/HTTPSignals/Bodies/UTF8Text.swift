internal import Glibc

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
    var start = range.lowerBound
    while let found = firstIndex(of: first, in: start..<range.upperBound),
      range.upperBound - found >= pattern.count
    {
      if self[part: found..<(found + pattern.count)].hasSameBytes(as: pattern) { return found }
      start = found + 1
    }
    return nil
  }

  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let start = baseAddress,
      let found = memchr(start + range.lowerBound, Int32(byte), range.count)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }

  func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    guard let left = baseAddress, let right = other.baseAddress else { return true }
    return memcmp(left, right, count) == 0
  }
}

extension BidirectionalCollection<UInt8> {
  /// The bytes without the spaces and tabs at both ends.
  var trimmed: SubSequence {
    let isVisible: (UInt8) -> Bool = { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    guard let first = firstIndex(where: isVisible), let last = lastIndex(where: isVisible) else {
      return self[endIndex...]
    }
    return self[first...last]
  }
}
