/// The first positions of characters that are rejected anywhere in an address, and of the `@`.
///
/// One pass records all positions; ``sign(of:_:)`` then reports the first in the order of the
/// reasons.
struct AddressMarks {
  private var control: Int?
  private var bracket: Int?
  private var parenthesis: Int?
  private var space: Int?
  private var invisible: Int?
  private var firstSign: Int?
  private var secondSign: Int?

  mutating func record(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    for index in range { record(bytes[index], at: index) }
  }

  mutating func record(_ text: [SourcePosition]) {
    var previous: Unicode.Scalar = "@"
    for position in text {
      let scalar = position.scalar
      if scalar.isASCII {
        record(UInt8(truncatingIfNeeded: scalar.value), at: position.offset)
      } else {
        record(scalar, after: previous, at: position.offset)
      }
      previous = scalar
    }
  }

  private mutating func record(_ byte: UInt8, at index: Int) {
    switch byte {
    case 0x00..<0x20, 0x7F: if control == nil { control = index }
    case UInt8(ascii: "<"), UInt8(ascii: ">"): if bracket == nil { bracket = index }
    case UInt8(ascii: "("), UInt8(ascii: ")"): if parenthesis == nil { parenthesis = index }
    case UInt8(ascii: " "): if space == nil { space = index }
    case UInt8(ascii: "@"):
      if firstSign == nil { firstSign = index } else if secondSign == nil { secondSign = index }
    default: break
    }
  }

  private mutating func record(
    _ scalar: Unicode.Scalar, after previous: Unicode.Scalar, at index: Int
  ) {
    switch UnicodeTables.kind(scalar) {
    // U+0080 to U+009F, U+2028 and U+2029.
    case .control, .lineSeparator, .paragraphSeparator: if control == nil { control = index }
    case .spaceSeparator: if space == nil { space = index }
    // No invisible scalar has one of these categories.
    case .lowercaseLetter, .uppercaseLetter, .modifierLetter, .decimalNumber: break
    default:
      if invisible == nil, scalar.isInvisible(after: previous) { invisible = index }
    }
  }

  /// Returns the offset of the only `@`.
  ///
  /// - Throws: `EmailAddressError` for a character that is rejected anywhere in an address, or if
  ///   the text is not two parts separated by exactly one `@`.
  func sign(
    of bytes: UnsafeBufferPointer<UInt8>, _ bounds: Range<Int>
  ) throws(EmailAddressError) -> Int {
    if let control { throw EmailAddressError(.controlCharacter, at: control) }
    if let bracket { throw EmailAddressError(.displayName, at: bracket) }
    if bytes[bounds.lowerBound] == UInt8(ascii: "\"") {
      throw EmailAddressError(.quotedLocalPart, at: bounds.lowerBound)
    }
    if let parenthesis { throw EmailAddressError(.comment, at: parenthesis) }
    if let space { throw EmailAddressError(.whitespace, at: space) }
    if let invisible { throw EmailAddressError(.invisibleCharacter, at: invisible) }
    guard let sign = firstSign else { throw EmailAddressError(.missingAt) }
    if let secondSign { throw EmailAddressError(.multipleAt, at: secondSign) }
    if sign == bounds.lowerBound { throw EmailAddressError(.missingLocalPart, at: sign) }
    if sign == bounds.upperBound - 1 { throw EmailAddressError(.missingDomain, at: sign) }
    return sign
  }
}
