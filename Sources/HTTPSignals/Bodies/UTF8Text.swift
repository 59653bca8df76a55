internal import Glibc

extension String {
  /// Makes a string from bytes; returns `nil` if they are not well-formed UTF-8.
  ///
  /// `String(validating:)` is not specialized in the standard library and takes several times as
  /// long. ASCII, which nearly all text is, needs an even cheaper check.
  ///
  /// - Parameter bytes: The bytes.
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

  /// Whether the bytes are well-formed UTF-8; makes no `String`.
  var isWellFormedUTF8: Bool {
    if isASCII { return true }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: span)
      return true
    } catch {
      return false
    }
  }

  /// The bytes in a range.
  subscript(part range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[range])
  }

  /// Finds a sequence of bytes.
  ///
  /// - Parameters:
  ///   - pattern: The sequence: at least one byte, the first of which does not occur again.
  ///   - range: The range to search, which must contain the whole sequence.
  /// - Returns: The index of the first byte of the sequence; `nil` if the range does not contain
  ///   it.
  func firstIndex(of pattern: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
    guard let start = baseAddress, let first = pattern.baseAddress else { return nil }
    var index = range.lowerBound
    while let found = firstIndex(of: first.pointee, in: index..<range.upperBound) {
      guard range.upperBound - found >= pattern.count else { return nil }
      if memcmp(start + found, first, pattern.count) == 0 { return found }
      index = found + 1
    }
    return nil
  }

  /// Finds a byte.
  ///
  /// The corresponding C function is `memchr`, which compares many bytes at a time.
  ///
  /// - Parameters:
  ///   - byte: The byte.
  ///   - range: The range to search.
  /// - Returns: The index of the byte; `nil` if the range does not contain it.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let start = baseAddress,
      let found = memchr(start + range.lowerBound, Int32(byte), range.count)
    else { return nil }
    return UnsafeRawPointer(start).distance(to: found)
  }
}
