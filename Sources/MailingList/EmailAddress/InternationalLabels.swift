/// The rules of international labels beyond the mapping (RFC 5892, and against look-alikes).
enum InternationalLabels {
  /// What is wrong with the U-labels of a domain: the reason, and which label it is.
  static func fault(
    in labels: [ArraySlice<Unicode.Scalar>]
  ) -> (reason: EmailRefusal.Reason, index: Int)? {
    for (index, label) in labels.enumerated() {
      let isLast = index == labels.count - 1
      let isAllowed = label.allSatisfy { scalar in
        isValid(scalar) || (!isLast && scalar.isEmojiBeyondASCII)
      }
      if !isAllowed || isReserved(label) { return (.internationalDomain, index) }
    }
    for (index, label) in labels.enumerated() where mixesLookAlikes(label) {
      return (.mixedScriptDomain, index)
    }
    return nil
  }

  /// Hyphens third and fourth are reserved (RFC 5891 §4.2.3.1).
  private static func isReserved(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
    guard label.count >= 4, !label.allSatisfy(\.isASCII) else { return false }
    return label.dropFirst(2).prefix(2).allSatisfy { $0 == "-" }
  }

  /// Whether letters of two alphabets stand in one label that look alike.
  private static func mixesLookAlikes(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
    var seen: UnicodeTables.LookAlike?
    for scalar in label where !scalar.isMark {
      guard let alphabet = UnicodeTables.lookAlike(scalar) else { continue }
      if let seen, seen != alphabet { return true }
      seen = alphabet
    }
    return false
  }

  /// Whether a mapped scalar is valid in a label, perhaps in context (RFC 5892 §3).
  private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return true }
    switch scalar.value {
    case 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x6FD, 0x6FE, 0xF0B, 0x3007, 0x200C, 0x200D,
      0x13A0...0x13F5:
      return true
    // Tatweel and repeat marks.
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
    // Old Hangul jamo, marks for symbols, and musical notation.
    case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB, 0x20D0...0x20FF, 0x1D100...0x1D24F:
      return false
    default: break
    }
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark,
      .decimalNumber:
      return true
    default:
      return false
    }
  }
}
