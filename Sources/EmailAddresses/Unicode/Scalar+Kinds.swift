extension Unicode.Scalar {
  /// Whether the scalar is U+200C or U+200D, which are valid only in context.
  var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }
  /// Whether the scalar is a variation selector for text or emoji presentation.
  var isEmojiSelector: Bool { self == "\u{FE0E}" || self == "\u{FE0F}" }
  /// Whether the scalar is an emoji outside ASCII; digits also have the Unicode property.
  var isEmojiBeyondASCII: Bool { !isASCII && properties.isEmoji }
  /// Whether the scalar is permanently reserved: U+FDD0 to U+FDEF, and the last two code points of
  /// each plane.
  var isNoncharacter: Bool { (0xFDD0...0xFDEF).contains(value) || value & 0xFFFE == 0xFFFE }
  var isMark: Bool {
    switch UnicodeTables.kind(self) {
    case .mark, .enclosingMark: true
    default: false
    }
  }

  /// Whether the scalar is invisible and has no valid use after the previous one; joiners are
  /// validated separately.
  func isInvisible(after previous: Unicode.Scalar) -> Bool {
    if isASCII || isJoiner { return false }
    if isEmojiSelector { return !previous.isEmojiBeyondASCII }
    return UnicodeTables.isIgnorable(self) || UnicodeTables.kind(self) == .format
      || self == "\u{2800}"
  }
}
