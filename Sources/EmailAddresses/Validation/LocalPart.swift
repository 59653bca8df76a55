internal import Platform

/// The part before the `@`: a dot-atom (RFC 5322 §3.2.3), with Unicode (RFC 6531 §3.3).
struct LocalPart {
  /// The local part that mail is sent to: NFC (RFC 6532 §3.1), with its letter case preserved.
  let text: String
  /// The comparison form: lowercased scalar by scalar, without emoji selectors.
  let key: String

  init(_ typed: ArraySlice<SourcePosition>, isLegacyCarrier: Bool) throws(EmailAddressError) {
    let scalars = typed.map(\.scalar)
    let composed = UnicodeTables.composed(scalars)
    if composed.reduce(0, { $0 + UTF8.width($1) }) > 64 {
      throw EmailAddressError(.localTooLong, at: typed.first?.offset)
    }
    // If the whole text is in NFKC, each of its scalars is.
    let isCompatible = UnicodeTables.isCompatible(composed)
    for index in composed.indices {
      guard let reason = Self.rejectionReason(of: index, in: composed, isCompatible: isCompatible)
      else {
        continue
      }
      let typedIndex = scalars == composed ? index : Self.typedIndex(of: index, composing: scalars)
      throw EmailAddressError(reason, at: typed[typed.startIndex + typedIndex].offset)
    }
    try Self.validateDots(typed, isLegacyCarrier: isLegacyCarrier)
    text = String(String.UnicodeScalarView(composed))
    key = Self.key(of: composed)
  }

  /// Creates a local part from ASCII bytes that have already been validated.
  init(plain bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    text = String(decoding: bytes, as: UTF8.self)
    key = String(asciiLowercasing: bytes)
  }

  /// Returns the comparison form of a local part in NFC.
  private static func key(of composed: [Unicode.Scalar]) -> String {
    var compared = composed
    if composed.contains(where: \.isEmojiSelector) {
      compared = UnicodeTables.composed(composed.filter { !$0.isEmojiSelector })
    }
    var lowered: [Unicode.Scalar] = []
    lowered.reserveCapacity(compared.count)
    for scalar in compared {
      if scalar.isASCII {
        lowered.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value).asciiLowercased))
      } else if scalar.properties.changesWhenLowercased {
        lowered += scalar.properties.lowercaseMapping.unicodeScalars
      } else {
        lowered.append(scalar)
      }
    }
    // Compose again: lowercase j with caron has a composed form, uppercase J with caron does not.
    return String(String.UnicodeScalarView(UnicodeTables.composed(lowered)))
  }

  /// Returns the index of the typed scalar that became the scalar at an index of the composed text.
  ///
  /// The last typed scalar whose predecessors compose to at most `index` scalars.
  private static func typedIndex(of index: Int, composing scalars: [Unicode.Scalar]) -> Int {
    // Longer text never composes to fewer scalars, so a binary search works.
    var candidates = scalars.indices
    while candidates.count > 1 {
      let middle = candidates.lowerBound + candidates.count / 2
      let isBefore = UnicodeTables.composed(Array(scalars[..<middle])).count <= index
      candidates = isBefore ? middle..<candidates.upperBound : candidates.lowerBound..<middle
    }
    return candidates.lowerBound
  }

  private static func rejectionReason(
    of index: Int, in scalars: [Unicode.Scalar], isCompatible: Bool
  ) -> EmailAddressError.Reason? {
    let scalar = scalars[index]
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      return byte == .dot || byte.isAtomText ? nil : .localCharacter
    }
    if scalar.isJoiner {
      return Joiner.isInContext(index, of: scalars) ? nil : .invisibleCharacter
    }
    switch UnicodeTables.kind(scalar) {
    case .unassigned, .privateUse, .surrogate: return .localCharacter
    case .mark, .enclosingMark:
      if index == 0 || scalars[index - 1] == "." { return .localCharacter }
    default: break
    }
    // A scalar whose compatibility form contains ASCII was probably meant to be ASCII.
    return !isCompatible && UnicodeTables.compatible(scalar)?.contains(where: \.isASCII) == true
      ? .localCharacter : nil
  }

  private static func validateDots(
    _ typed: ArraySlice<SourcePosition>, isLegacyCarrier: Bool
  ) throws(EmailAddressError) {
    for index in typed.indices where typed[index].scalar == "." {
      let isFirst = index == typed.startIndex
      let isLastOrDoubled =
        index == typed.endIndex - 1 || (!isFirst && typed[index - 1].scalar == ".")
      if isFirst || (isLastOrDoubled && !isLegacyCarrier) {
        throw EmailAddressError(.localDots, at: typed[index].offset)
      }
    }
  }
}
