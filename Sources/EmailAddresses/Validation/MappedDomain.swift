internal import Platform

/// A typed domain with its mapped form: the mapped form is validated, and errors refer to offsets
/// in the typed one.
struct MappedDomain {
  private let typed: ArraySlice<SourcePosition>
  private let typedLabels: [ArraySlice<SourcePosition>]
  private let mapped: UnicodeTables.Domain
  private let labels: [ArraySlice<Unicode.Scalar>]

  init(_ typed: ArraySlice<SourcePosition>) throws(EmailAddressError) {
    guard let mapped = UnicodeTables.domain(typed.lazy.map(\.scalar)) else {
      throw EmailAddressError(.internationalDomain, at: typed.first?.offset)
    }
    self.typed = typed
    self.mapped = mapped
    typedLabels = typed.split(omittingEmptySubsequences: false) { Self.isDot($0.scalar) }
    labels = mapped.unicode.split(separator: ".", omittingEmptySubsequences: false)
  }

  /// The domain in lowercase, with international labels as A-labels.
  var ascii: String {
    String(decoding: mapped.ascii.lazy.map { $0.asciiLowercased }, as: UTF8.self)
  }

  /// The offsets at which the domain and its last label begin.
  var ending: (domain: Int?, ending: Int?) {
    (typed.first?.offset, offset(ofScalar: 0, inLabel: labels.count - 1))
  }

  /// Validates all but the ending.
  func validate() throws(EmailAddressError) {
    try validateCharacters()
    try validateDots()
    try validateHyphens()
    try validateLabels()
  }

  /// Rejects characters that mapping turns into ASCII that is not allowed in a domain.
  private func validateCharacters() throws(EmailAddressError) {
    let isWrong: (Unicode.Scalar) -> Bool = { $0.isASCII && !DomainPart.isAllowed($0) }
    guard !mapped.errors.contains(.disallowed), mapped.unicode.contains(where: isWrong) else {
      return
    }
    let source = typed.first { position in
      UnicodeTables.compatible(position.scalar)?.contains(where: isWrong) == true
    }
    throw EmailAddressError(.domainCharacter, at: source?.offset ?? typed.first?.offset)
  }

  private func validateDots() throws(EmailAddressError) {
    if let empty = typedLabels.first(where: \.isEmpty) {
      // Report the superfluous dot: the one after the empty label, or the last one.
      let dot = empty.endIndex < typed.endIndex ? typed[empty.endIndex] : typed.last
      throw EmailAddressError(.domainDots, at: dot?.offset)
    }
    if let index = labels.firstIndex(where: \.isEmpty) {
      throw EmailAddressError(.domainDots, at: offset(ofScalar: 0, inLabel: index))
    }
  }

  private func validateHyphens() throws(EmailAddressError) {
    for label in typedLabels {
      if let first = label.first, first.scalar == "-" {
        throw EmailAddressError(.domainHyphen, at: first.offset)
      }
      if let last = label.last, last.scalar == "-" {
        throw EmailAddressError(.domainHyphen, at: last.offset)
      }
    }
    for (index, label) in labels.enumerated() where label.first == "-" || label.last == "-" {
      let scalar = label.first == "-" ? 0 : label.count - 1
      throw EmailAddressError(.domainHyphen, at: offset(ofScalar: scalar, inLabel: index))
    }
  }

  /// Validates the lengths of labels, then joiners, then the other rules for international labels.
  private func validateLabels() throws(EmailAddressError) {
    if let long = typedLabels.first(where: { $0.count > 63 && $0.allSatisfy(\.scalar.isASCII) }) {
      throw EmailAddressError(.labelTooLong, at: long.first?.offset)
    }
    if mapped.errors.contains(.labelTooLong) {
      throw EmailAddressError(.labelTooLong, at: label(with: .labelTooLong).first?.offset)
    }
    if mapped.errors.contains(.joiner) {
      let label = label(with: .joiner)
      throw EmailAddressError(.invisibleCharacter, at: joinerOutOfContext(in: label)?.offset)
    }
    let fatal = mapped.errors.intersection(.fatal)
    if !fatal.isEmpty {
      throw EmailAddressError(.internationalDomain, at: label(with: fatal).first?.offset)
    }
    if let fault = InternationalLabels.fault(in: labels) {
      throw EmailAddressError(
        fault.reason, at: offset(ofScalar: fault.scalar, inLabel: fault.label))
    }
  }

  /// Returns the position of the joiner, or the start of the label if it is an A-label.
  private func joinerOutOfContext(in label: ArraySlice<SourcePosition>) -> SourcePosition? {
    let scalars = label.map(\.scalar)
    let index = scalars.indices.first { index in
      scalars[index].isJoiner && !Joiner.isInContext(index, of: scalars)
    }
    return label.dropFirst(index ?? 0).first
  }

  /// Returns the first label that has an error on its own, or the whole domain if no single label
  /// has it, as with bidirectional text.
  ///
  /// Only the first 8 labels are checked, which bounds the time for hostile input.
  private func label(with errors: UnicodeTables.DomainErrors) -> ArraySlice<SourcePosition> {
    typedLabels.prefix(8).first { label in
      UnicodeTables.domain(label.lazy.map(\.scalar))?.errors.isDisjoint(with: errors) == false
    } ?? typed
  }

  /// Returns the offset at which a scalar of a mapped label was typed.
  ///
  /// This is the offset of the scalar if the typed label has the same number of scalars, otherwise
  /// that of the label, or of the domain if mapping has changed the number of labels.
  private func offset(ofScalar scalar: Int, inLabel label: Int) -> Int? {
    guard typedLabels.count == labels.count else { return typed.first?.offset }
    let typedLabel = typedLabels[label]
    let isUnmoved = typedLabel.count == labels[label].count
    return typedLabel.dropFirst(isUnmoved ? scalar : 0).first?.offset
  }

  /// Whether a scalar is a label separator (UTS 46 §2.3).
  private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
  }
}
