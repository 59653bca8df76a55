extension Unicode.Scalar {
  /// Whether it is U+200C or U+200D, which are valid only in context.
  var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }
  /// Whether it is a variation selector for text or emoji presentation.
  var isEmojiSelector: Bool { self == "\u{FE0E}" || self == "\u{FE0F}" }
  /// Whether it is an emoji outside ASCII; digits have the Unicode property, too.
  var isEmojiBeyondASCII: Bool { !isASCII && properties.isEmoji }
  /// Whether it is permanently reserved: U+FDD0 to U+FDEF, and the last two code points of each
  /// plane.
  var isNoncharacter: Bool { (0xFDD0...0xFDEF).contains(value) || value & 0xFFFE == 0xFFFE }
  /// Whether it is a combining mark.
  var isMark: Bool {
    switch UnicodeTables.kind(self) {
    case .mark, .enclosingMark: true
    default: false
    }
  }

  /// Whether it is invisible and has no valid use after the previous scalar; joiners are excluded,
  /// because they are validated separately.
  func isInvisible(after previous: Unicode.Scalar) -> Bool {
    if isASCII || isJoiner { return false }
    if isEmojiSelector { return !previous.isEmojiBeyondASCII }
    return UnicodeTables.isIgnorable(self) || UnicodeTables.kind(self) == .format
      || self == "\u{2800}"
  }
}
