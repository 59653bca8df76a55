// Everything here is inlinable, because parsers call it for each byte.

extension UInt8 {
  /// Whether this byte is a digit, `0` to `9`.
  @inlinable
  package var isASCIIDigit: Bool {
    self >= 0x30 && self <= 0x39
  }

  /// Whether this byte is a letter, `A` to `Z` or `a` to `z`.
  @inlinable
  package var isASCIILetter: Bool {
    let letter = self | 0x20
    return letter >= 0x61 && letter <= 0x7A
  }

  /// Whether this byte is an uppercase letter, `A` to `Z`.
  @inlinable
  package var isASCIIUppercase: Bool {
    self >= 0x41 && self <= 0x5A
  }

  /// This byte in lowercase if it is a letter; any other byte unchanged.
  @inlinable
  package var asciiLowercased: UInt8 {
    isASCIIUppercase ? self | 0x20 : self
  }

  /// The value of this byte as a hexadecimal digit; `nil` for any other byte.
  @inlinable
  package var hexadecimalValue: UInt8? {
    if isASCIIDigit { return self - 0x30 }
    let letter = self | 0x20
    return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
  }
}

extension String {
  /// Creates a text from bytes, with ASCII letters in lowercase from index `start` on.
  ///
  /// The bytes are written into the string without an intermediate copy. Bytes that are not UTF-8
  /// are replaced by U+FFFD.
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
}
