/// The part before the `@`: a dot-atom (RFC 5322 §3.2.3), with Unicode (RFC 6531 §3.3).
struct LocalPart {
  /// As it is written to: NFC (RFC 6532 §3.1), in the case in which it was typed.
  let text: String
  /// What is compared: in lower case, scalar by scalar, without the selectors of emoji.
  let key: String

  init(
    _ typed: [EmailJudgement.Position],
    domain: [EmailJudgement.Position]
  ) throws(EmailRefusal) {
    text = try Self.composed(typed.lazy.map(\.scalar))
    let scalars = Array(text.unicodeScalars)
    if text.utf8.count > 64 { throw EmailRefusal(.localTooLong) }
    for index in scalars.indices {
      guard let reason = Self.refusal(of: index, in: scalars) else { continue }
      // Composition moves scalars; then nobody can tell where it was typed.
      let isUnmoved = typed.map(\.scalar) == scalars
      throw EmailRefusal(reason, at: isUnmoved ? typed[index].offset : nil)
    }
    try Self.judgeDots(typed, isLegacyCarrier: Self.isLegacyCarrier(domain))
    key = try Self.key(of: scalars)
  }

  private static func composed(
    _ scalars: some Sequence<Unicode.Scalar>
  ) throws(EmailRefusal) -> String {
    let text = String(String.UnicodeScalarView(scalars))
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    guard let composed = UnicodeTables.normalised(text, .canonical) else {
      throw EmailRefusal(.invalidUnicode)
    }
    return composed
  }

  private static func key(of scalars: [Unicode.Scalar]) throws(EmailRefusal) -> String {
    let kept = String(String.UnicodeScalarView(scalars.filter { !$0.isEmojiSelector }))
    let composed = try composed(kept.unicodeScalars)
    return composed.unicodeScalars.reduce(into: "") { $0 += $1.properties.lowercaseMapping }
  }

  private static func refusal(
    of index: Int,
    in scalars: [Unicode.Scalar]
  ) -> EmailRefusal.Reason? {
    let scalar = scalars[index]
    if scalar.isASCII {
      let octet = UInt8(truncatingIfNeeded: scalar.value)
      return octet == UInt8(ascii: ".") || Octet.isAtomText(octet) ? nil : .localCharacter
    }
    if scalar.isJoiner {
      return Joiner.isInContext(index, of: scalars) ? nil : .invisibleCharacter
    }
    switch scalar.properties.generalCategory {
    case .unassigned, .privateUse, .surrogate: return .localCharacter
    default: break
    }
    if scalar.isMark, index == 0 || scalars[index - 1] == "." { return .localCharacter }
    // What has ASCII in its compatible form was meant to be ASCII.
    let compatible = UnicodeTables.normalised(String(Character(scalar)), .compatible)
    return compatible?.utf8.contains { $0 < 0x80 } == true ? .localCharacter : nil
  }

  private static func judgeDots(
    _ typed: [EmailJudgement.Position],
    isLegacyCarrier: Bool
  ) throws(EmailRefusal) {
    for index in typed.indices where typed[index].scalar == "." {
      let isLast = index == typed.count - 1
      let isDoubled = index > 0 && typed[index - 1].scalar == "."
      if index == 0 || ((isLast || isDoubled) && !isLegacyCarrier) {
        throw EmailRefusal(.localDots, at: typed[index].offset)
      }
    }
  }

  /// Two carriers gave out mailboxes with doubled and trailing dots, which still exist.
  private static func isLegacyCarrier(_ domain: [EmailJudgement.Position]) -> Bool {
    ["docomo.ne.jp", "ezweb.ne.jp"].contains { name in
      name.unicodeScalars.elementsEqual(domain) { letter, typed in
        typed.scalar.isASCII
          && letter.value == UInt32(Octet.lowercased(UInt8(truncatingIfNeeded: typed.scalar.value)))
      }
    }
  }
}

/// The context in which a joiner is text (RFC 5892, appendices A.1 and A.2).
enum Joiner {
  static func isInContext(_ index: Int, of scalars: [Unicode.Scalar]) -> Bool {
    if index > 0, scalars[index - 1].properties.canonicalCombiningClass.rawValue == 9 {
      return true
    }
    guard scalars[index] == "\u{200C}" else { return false }
    let before = scalars[..<index].reversed().lazy.map(UnicodeTables.joining)
    let after = scalars[(index + 1)...].lazy.map(UnicodeTables.joining)
    let left = before.first { $0 != .transparent }
    let right = after.first { $0 != .transparent }
    return (left == .left || left == .both) && (right == .right || right == .both)
  }
}
