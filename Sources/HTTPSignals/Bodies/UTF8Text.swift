internal import Glibc

extension String {
  /// Makes text of bytes, if they are well-formed UTF-8.
  ///
  /// `String(validating:)` is not specialized in the standard library and takes several times as
  /// long; for ASCII, which nearly all is, even less is enough.
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

  /// Whether the bytes are well-formed UTF-8; no text is made of them.
  var isWellFormedUTF8: Bool {
    if isASCII { return true }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: span)
      return true
    } catch {
      return false
    }
  }

  /// Some of the bytes.
  subscript(part range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[range])
  }

  /// Where bytes begin that are searched for.
  ///
  /// - Parameters:
  ///   - pattern: At least one byte, the first of which is not among the others.
  ///   - range: Where they have to be.
  /// - Returns: The index of the first byte.
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

  /// Where a byte is; the corresponding C function is `memchr`, which looks at many at a time.
  ///
  /// - Parameters:
  ///   - byte: The byte.
  ///   - range: Where it has to be.
  /// - Returns: Its index.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let start = baseAddress,
      let found = memchr(start + range.lowerBound, Int32(byte), range.count)
    else { return nil }
    return UnsafeRawPointer(start).distance(to: found)
  }
}
