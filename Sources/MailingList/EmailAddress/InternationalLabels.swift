/// The rules of international labels beyond the mapping (RFC 5892, and against look-alikes).
enum InternationalLabels {
  /// Judges the U-labels of a domain.
  static func judge(_ labels: [[Unicode.Scalar]]) throws(EmailRefusal) {
    for (index, label) in labels.enumerated() {
      let isLast = index == labels.count - 1
      let isAllowed = label.allSatisfy { scalar in
        isValid(scalar) || (!isLast && scalar.isEmojiBeyondASCII)
      }
      // Hyphens third and fourth are reserved (RFC 5891 §4.2.3.1).
      let isReserved =
        label.contains { !$0.isASCII } && label.count >= 4 && label[2] == "-" && label[3] == "-"
      guard isAllowed, !isReserved else { throw EmailRefusal(.internationalDomain) }
    }
    for label in labels {
      let scripts = Set(label.lazy.filter { !$0.isMark }.map(UnicodeTables.script))
      if scripts.intersection(UnicodeTables.lookAlikeScripts).count > 1 {
        throw EmailRefusal(.mixedScriptDomain)
      }
    }
  }

  /// Whether a mapped scalar is valid in a label, perhaps in context (RFC 5892 §3).
  private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if scalar.isASCII { return true }
    if exceptions.contains(value) || (0x13A0...0x13F5).contains(value) { return true }
    if never.contains(value) || neverBlocks.contains(where: { $0.contains(value) }) { return false }
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark,
      .decimalNumber:
      return true
    default:
      return false
    }
  }

  private static let exceptions: Set<UInt32> = [
    0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x6FD, 0x6FE, 0xF0B, 0x3007, 0x200C, 0x200D,
  ]
  private static let never: Set<UInt32> = [
    0x640, 0x7FA, 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B,
  ]
  /// Old Hangul jamo, marks for symbols, and musical notation.
  private static let neverBlocks: [ClosedRange<UInt32>] = [
    0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB, 0x20D0...0x20FF, 0x1D100...0x1D24F,
  ]
}
