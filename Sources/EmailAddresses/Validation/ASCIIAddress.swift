internal import Platform

/// The fast path for nearly every address: one pass over its bytes, without an allocation.
enum ASCIIAddress {
  /// Finds the `@` of a plain valid address; `nil` if the bytes need the full validation, which may
  /// still accept them.
  static func sign(in bytes: UnsafeBufferPointer<UInt8>, level: EmailLevel) -> Int? {
    guard bytes.count <= 254 else { return nil }
    let dot = UInt8.dot
    var index = 0
    var previous = dot
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "@") { break }
      guard byte == dot ? previous != dot : byte.isAtomText else { return nil }
      previous = byte
      index += 1
    }
    let sign = index
    guard sign < bytes.count, previous != dot, sign <= 64 else { return nil }
    var start = sign + 1
    var labelCount = 0
    var isAlphabetic = true
    previous = dot
    index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte == dot {
        guard isLabel(bytes, start, index) else { return nil }
        labelCount += 1
        start = index + 1
        isAlphabetic = true
      } else if !byte.isASCIILetter {
        guard byte.isASCIIDigit || byte == .hyphen else { return nil }
        isAlphabetic = false
      }
      index += 1
    }
    guard isAlphabetic, labelCount > 0, index - start >= 2, isLabel(bytes, start, index)
    else { return nil }
    if level == .form, SpecialUseNames.contains(bytes[start...]) { return nil }
    return sign
  }

  private static func isLabel(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Bool
  {
    let count = end - start
    guard count > 0, count <= 63, bytes[start] != .hyphen, bytes[end - 1] != .hyphen
    else { return false }
    // An A-label needs the full validation.
    return count < 4 || bytes[start + 2] != .hyphen || bytes[start + 3] != .hyphen
      || bytes[start] | 0x20 != UInt8(ascii: "x") || bytes[start + 1] | 0x20 != UInt8(ascii: "n")
  }
}
