extension String {
  /// Makes text of bytes, if they are well-formed UTF-8.
  ///
  /// `String(validating:)` is not specialized in the standard library and takes several times as
  /// long; for ASCII, which nearly all is, even less is enough.
  ///
  /// - Parameter octets: The bytes.
  init?(utf8 octets: UnsafeBufferPointer<UInt8>) {
    if octets.isASCII {
      self.init(decoding: octets, as: UTF8.self)
    } else {
      do throws(UTF8.ValidationError) {
        self.init(copying: try UTF8Span(validating: octets.span))
      } catch {
        return nil
      }
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether no byte has its highest bit set.
  var isASCII: Bool {
    // No early exit: a loop without one is vectorized.
    var bits: UInt8 = 0
    for octet in self { bits |= octet }
    return bits < 0x80
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
  ///   - pattern: At least two bytes, the first of which is not among the others.
  ///   - range: Where they have to be.
  /// - Returns: The index of the first byte.
  func firstIndex(of pattern: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
    var index = range.lowerBound
    let end = range.upperBound - pattern.count
    while index <= end {
      // The second is compared here, since most of what begins right goes on wrong.
      if self[index] == pattern[0], self[index + 1] == pattern[1],
        self[part: index..<(index + pattern.count)].elementsEqual(pattern)
      {
        return index
      }
      index += 1
    }
    return nil
  }
}
