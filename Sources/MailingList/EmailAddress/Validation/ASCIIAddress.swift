/// The way that nearly every address goes: one pass over its octets, without an allocation.
enum ASCIIAddress {
  /// Where the `@` of a plain address stands.
  ///
  /// - Parameters:
  ///   - octets: What was typed.
  ///   - level: How strictly it is judged.
  /// - Returns: The index, or `nil` for whatever takes a closer look; that may be valid as well.
  static func sign(in octets: UnsafeBufferPointer<UInt8>, level: EmailLevel) -> Int? {
    guard octets.count <= 254 else { return nil }
    let dot = Octet.dot
    var index = 0
    var previous = dot
    while index < octets.count {
      let octet = octets[index]
      if octet == UInt8(ascii: "@") { break }
      guard octet == dot ? previous != dot : Octet.isAtomText(octet) else { return nil }
      previous = octet
      index += 1
    }
    let sign = index
    guard sign < octets.count, previous != dot, sign <= 64 else { return nil }
    var start = sign + 1
    var labelCount = 0
    var isAlphabetic = true
    previous = dot
    index = start
    while index < octets.count {
      let octet = octets[index]
      if octet == dot {
        guard isLabel(octets, start, index) else { return nil }
        labelCount += 1
        start = index + 1
        isAlphabetic = true
      } else if !Octet.isLetter(octet) {
        guard Octet.isDigit(octet) || octet == Octet.hyphen else { return nil }
        isAlphabetic = false
      }
      index += 1
    }
    guard isAlphabetic, labelCount > 0, index - start >= 2, isLabel(octets, start, index)
    else { return nil }
    if level == .form, SpecialUseNames.contains(octets[start...]) { return nil }
    return sign
  }

  private static func isLabel(
    _ octets: UnsafeBufferPointer<UInt8>,
    _ start: Int,
    _ end: Int
  ) -> Bool {
    let count = end - start
    guard count > 0, count <= 63, octets[start] != Octet.hyphen, octets[end - 1] != Octet.hyphen
    else { return false }
    // An A-label takes a closer look.
    return count < 4 || octets[start + 2] != Octet.hyphen || octets[start + 3] != Octet.hyphen
      || octets[start] | 0x20 != UInt8(ascii: "x") || octets[start + 1] | 0x20 != UInt8(ascii: "n")
  }
}
