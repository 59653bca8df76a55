/// The part before the `@`: a dot-atom (RFC 5322 §3.2.3), with Unicode (RFC 6531 §3.3).
struct LocalPart {
  /// As it is written to: NFC (RFC 6532 §3.1), in the case in which it was typed.
  let text: String
  /// What is compared: in lower case, scalar by scalar, without the selectors of emoji.
  let key: String

  init(
    _ typed: ArraySlice<EmailJudgement.Position>,
    isLegacyCarrier: Bool
  ) throws(EmailRefusal) {
    let scalars = typed.map(\.scalar)
    let composed = UnicodeTables.composed(scalars)
    if composed.reduce(0, { $0 + UTF8.width($1) }) > 64 { throw EmailRefusal(.localTooLong) }
    for index in composed.indices {
      guard let reason = Self.refusal(of: index, in: composed) else { continue }
      // Composition moves scalars; then nobody can tell where it was typed.
      let isUnmoved = scalars == composed
      throw EmailRefusal(reason, at: isUnmoved ? typed[typed.startIndex + index].offset : nil)
    }
    try Self.judgeDots(typed, isLegacyCarrier: isLegacyCarrier)
    text = String(String.UnicodeScalarView(composed))
    key = Self.key(of: composed)
  }

  /// A local part of ASCII that was judged already.
  init(plain octets: Slice<UnsafeBufferPointer<UInt8>>) {
    text = String(decoding: octets, as: UTF8.self)
    key = Octet.lowercasedText(octets)
  }

  /// The comparison form of a local part that is NFC.
  private static func key(of composed: [Unicode.Scalar]) -> String {
    var compared = composed
    if composed.contains(where: \.isEmojiSelector) {
      compared = UnicodeTables.composed(composed.filter { !$0.isEmojiSelector })
    }
    var key = ""
    for scalar in compared {
      if scalar.isASCII {
        let octet = Octet.lowercased(UInt8(truncatingIfNeeded: scalar.value))
        key.unicodeScalars.append(Unicode.Scalar(octet))
      } else {
        key += scalar.properties.lowercaseMapping
      }
    }
    return key
  }

  private static func refusal(
    of index: Int,
    in scalars: [Unicode.Scalar]
  ) -> EmailRefusal.Reason? {
    let scalar = scalars[index]
    if scalar.isASCII {
      let octet = UInt8(truncatingIfNeeded: scalar.value)
      return octet == Octet.dot || Octet.isAtomText(octet) ? nil : .localCharacter
    }
    if scalar.isJoiner {
      return Joiner.isInContext(index, of: scalars) ? nil : .invisibleCharacter
    }
    switch scalar.properties.generalCategory {
    case .unassigned, .privateUse, .surrogate: return .localCharacter
    case .nonspacingMark, .spacingMark, .enclosingMark:
      if index == 0 || scalars[index - 1] == "." { return .localCharacter }
    default: break
    }
    // What has ASCII in its compatible form was meant to be ASCII.
    return UnicodeTables.compatible(scalar)?.contains(where: \.isASCII) == true
      ? .localCharacter : nil
  }

  private static func judgeDots(
    _ typed: ArraySlice<EmailJudgement.Position>,
    isLegacyCarrier: Bool
  ) throws(EmailRefusal) {
    for index in typed.indices where typed[index].scalar == "." {
      let isFirst = index == typed.startIndex
      let isLastOrDoubled =
        index == typed.endIndex - 1 || (!isFirst && typed[index - 1].scalar == ".")
      if isFirst || (isLastOrDoubled && !isLegacyCarrier) {
        throw EmailRefusal(.localDots, at: typed[index].offset)
      }
    }
  }
}
