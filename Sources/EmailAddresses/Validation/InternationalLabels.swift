/// The rules for international labels beyond the mapping: RFC 5892, and look-alike alphabets.
enum InternationalLabels {
  /// An error in a label: its reason, the index of the label and the index of the scalar in it.
  struct Fault {
    let reason: EmailAddressError.Reason
    let label: Int
    let scalar: Int
  }

  /// Returns the first error in the U-labels of a domain.
  static func fault(in labels: [ArraySlice<Unicode.Scalar>]) -> Fault? {
    for (index, label) in labels.enumerated() {
      let isLast = index == labels.count - 1
      let wrong = label.firstIndex { scalar in
        !isValid(scalar) && (isLast || !scalar.isEmojiBeyondASCII)
      }
      if let wrong = wrong ?? reservedHyphen(in: label) {
        return Fault(reason: .internationalDomain, label: index, scalar: wrong - label.startIndex)
      }
    }
    for (index, label) in labels.enumerated() {
      if let mixed = firstMixed(in: label) {
        return Fault(reason: .mixedScriptDomain, label: index, scalar: mixed - label.startIndex)
      }
    }
    return nil
  }

  /// Returns the index of hyphens in the third and fourth position, which are not allowed in an
  /// international label (RFC 5891 §4.2.3.1).
  private static func reservedHyphen(in label: ArraySlice<Unicode.Scalar>) -> Int? {
    let third = label.startIndex + 2
    guard label.count >= 4, label[third] == "-", label[third + 1] == "-" else { return nil }
    return label.allSatisfy(\.isASCII) ? nil : third
  }

  /// Returns the index of the first letter from a second look-alike alphabet.
  private static func firstMixed(in label: ArraySlice<Unicode.Scalar>) -> Int? {
    var seen: UnicodeTables.LookAlike?
    for index in label.indices where !label[index].isMark {
      guard let alphabet = UnicodeTables.lookAlike(label[index]) else { continue }
      if let seen, seen != alphabet { return index }
      seen = alphabet
    }
    return nil
  }

  /// Whether a mapped scalar is valid in a label, possibly only in context (RFC 5892 §3).
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
    switch UnicodeTables.kind(scalar) {
    case .lowercaseLetter, .modifierLetter, .decimalNumber: return true
    case .otherLetter, .mark: return !UnicodeTables.isIgnorable(scalar)
    default: return false
    }
  }
}
