extension Unicode.Scalar {
  /// U+200C and U+200D: validated in their context.
  var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }
  /// The variation selectors of text and of emoji.
  var isEmojiSelector: Bool { self == "\u{FE0E}" || self == "\u{FE0F}" }
  /// A symbol that keyboards offer as a picture; digits are none here.
  var isEmojiBeyondASCII: Bool { !isASCII && properties.isEmoji }
  /// A code point that is set aside for ever: U+FDD0 to U+FDEF, and the last two of each plane.
  var isNoncharacter: Bool { (0xFDD0...0xFDEF).contains(value) || value & 0xFFFE == 0xFFFE }
  /// A combining mark.
  var isMark: Bool {
    switch UnicodeTables.kind(self) {
    case .mark, .enclosingMark: true
    default: false
    }
  }

  /// Whether it shows nothing, and has no business after another one.
  func isInvisible(after previous: Unicode.Scalar) -> Bool {
    if isASCII || isJoiner { return false }
    if isEmojiSelector { return !previous.isEmojiBeyondASCII }
    return UnicodeTables.isIgnorable(self) || UnicodeTables.kind(self) == .format
      || self == "\u{2800}"
  }
}
