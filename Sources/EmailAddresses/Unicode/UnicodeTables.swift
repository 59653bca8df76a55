internal import Platform
internal import _FoundationICU

/// Unicode data that the standard library does not provide; only this file calls ICU.
///
/// The ICU module is part of the toolchain but not public, so none of its types leave this file.
/// The buffers are on the stack: no call allocates memory except for its return value.
enum UnicodeTables {
  // MARK: Normalization forms (Unicode Standard Annex 15)

  /// Returns the text in NFC.
  static func composed(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    if scalars.allSatisfy({ $0.value < 0x300 }) { return scalars }
    var error = U_ZERO_ERROR
    return normalized(scalars, swift_unorm2_getNFCInstance(&error)) ?? scalars
  }

  /// Whether the text is known to be in NFKC; `false` also when only a slower check could decide.
  static func isCompatible(_ scalars: [Unicode.Scalar]) -> Bool {
    var error = U_ZERO_ERROR
    let form = swift_unorm2_getNFKCInstance(&error)
    return withUnits(of: scalars) { isNormalized($0, form) }
  }

  /// Returns the NFKC of a scalar; `nil` when it is the scalar itself.
  static func compatible(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    var error = U_ZERO_ERROR
    return normalized([scalar], swift_unorm2_getNFKCInstance(&error))
  }

  /// Returns the text in a normalization form; `nil` when it is already in that form.
  private static func normalized(
    _ scalars: [Unicode.Scalar], _ form: OpaquePointer?
  ) -> [Unicode.Scalar]? {
    withUnits(of: scalars) { source in
      if isNormalized(source, form) { return nil }
      var error = U_ZERO_ERROR
      // The longest decomposition turns one code unit into 18.
      let capacity = source.count * 18
      return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: capacity) { target in
        let written = swift_unorm2_normalize(
          form, source.baseAddress, Int32(source.count), target.baseAddress, Int32(capacity), &error
        )
        guard error.rawValue <= 0 else { return nil }
        return decoded(target[..<Int(written)], UTF16())
      }
    }
  }

  /// Decodes ICU's output directly into scalars, without creating a string.
  private static func decoded<Codec: UnicodeCodec>(
    _ units: some Collection<Codec.CodeUnit>, _ codec: Codec
  ) -> [Unicode.Scalar] {
    var codec = codec
    var iterator = units.makeIterator()
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(units.count)
    while case .scalarValue(let scalar) = codec.decode(&iterator) { scalars.append(scalar) }
    return scalars
  }

  private static func isNormalized(
    _ units: UnsafeBufferPointer<UInt16>, _ form: OpaquePointer?
  ) -> Bool {
    var error = U_ZERO_ERROR
    let check = swift_unorm2_quickCheck(form, units.baseAddress, Int32(units.count), &error)
    return error.rawValue <= 0 && check == UNORM_YES
  }

  /// Calls a closure with the text in UTF-16.
  private static func withUnits<Result>(
    of scalars: [Unicode.Scalar], _ body: (UnsafeBufferPointer<UInt16>) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: scalars.count * 2) { units in
      var count = 0
      for scalar in scalars {
        for unit in scalar.utf16 {
          units[count] = unit
          count += 1
        }
      }
      return body(UnsafeBufferPointer(rebasing: units[..<count]))
    }
  }

  // MARK: Domains (UTS 46, not transitional)

  /// The errors that ICU finds in a domain.
  struct DomainErrors: OptionSet {
    let rawValue: UInt32

    /// A label of more than 63 bytes.
    static let labelTooLong = DomainErrors(rawValue: UInt32(UIDNA_ERROR_LABEL_TOO_LONG))
    /// A code point that is not allowed in domains.
    static let disallowed = DomainErrors(rawValue: UInt32(UIDNA_ERROR_DISALLOWED))
    /// A joiner out of its context (RFC 5892, appendices A.1 and A.2).
    static let joiner = DomainErrors(rawValue: UInt32(UIDNA_ERROR_CONTEXTJ))
    /// The errors for which the service's own checks report no more specific reason.
    static let fatal: DomainErrors = [
      .disallowed,
      DomainErrors(rawValue: UInt32(UIDNA_ERROR_LEADING_COMBINING_MARK)),
      DomainErrors(rawValue: UInt32(UIDNA_ERROR_PUNYCODE)),
      DomainErrors(rawValue: UInt32(UIDNA_ERROR_LABEL_HAS_DOT)),
      DomainErrors(rawValue: UInt32(UIDNA_ERROR_INVALID_ACE_LABEL)),
      DomainErrors(rawValue: UInt32(UIDNA_ERROR_BIDI)),
      DomainErrors(rawValue: UInt32(UIDNA_ERROR_CONTEXTO_PUNCTUATION)),
      DomainErrors(rawValue: UInt32(UIDNA_ERROR_CONTEXTO_DIGITS)),
    ]
  }

  /// A domain in both forms.
  struct Domain {
    /// The domain with A-labels.
    var ascii: [UInt8]
    /// The domain with U-labels.
    var unicode: [Unicode.Scalar]
    var errors: DomainErrors
  }

  // nonisolated(unsafe) because the instance is immutable and never closed.
  private nonisolated(unsafe) static let idna: OpaquePointer? = {
    var error = U_ZERO_ERROR
    let options =
      UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII
      | UIDNA_NONTRANSITIONAL_TO_UNICODE | UIDNA_CHECK_CONTEXTO
    return swift_uidna_openUTS46(UInt32(options), &error)
  }()

  private typealias Conversion = (
    OpaquePointer?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<CChar>?, Int32,
    UnsafeMutablePointer<UIDNAInfo>?, UnsafeMutablePointer<UErrorCode>?
  ) -> Int32

  /// Maps a domain of at most 254 bytes; `nil` if the ICU data is unavailable.
  static func domain(_ scalars: some Collection<Unicode.Scalar>) -> Domain? {
    guard let idna else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: scalars.count * 4) { source in
      var count = 0
      for scalar in scalars {
        for byte in scalar.utf8 {
          source[count] = CChar(bitPattern: byte)
          count += 1
        }
      }
      // Enough for the longest mapping: U+FDFA maps to 18 scalars.
      let capacity = count * 24 + 64
      var errors: UInt32 = 0
      func convert<Result>(
        _ conversion: Conversion, _ read: (UnsafeBufferPointer<UInt8>) -> Result
      ) -> Result? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { target in
          var info = UIDNAInfo()
          info.size = Int16(MemoryLayout<UIDNAInfo>.size)
          var error = U_ZERO_ERROR
          let written = conversion(
            idna, source.baseAddress, Int32(count), target.baseAddress, Int32(capacity), &info,
            &error)
          guard error.rawValue <= 0 else { return nil }
          errors |= info.errors
          let bytes = UnsafeRawBufferPointer(target)[..<Int(written)]
          return UnsafeRawBufferPointer(rebasing: bytes).withMemoryRebound(to: UInt8.self, read)
        }
      }
      let ascii = convert(swift_uidna_nameToASCII_UTF8) { Array($0) }
      let unicode = convert(swift_uidna_nameToUnicodeUTF8) { bytes in
        decoded(bytes[...], UTF8())
      }
      guard let ascii, let unicode else { return nil }
      return Domain(ascii: ascii, unicode: unicode, errors: DomainErrors(rawValue: errors))
    }
  }

  // MARK: Properties, which ICU looks up faster than the standard library

  /// The general categories that matter to validation.
  enum Kind {
    case decimalNumber, lowercaseLetter, modifierLetter, otherLetter, uppercaseLetter
    case control, format, lineSeparator, mark, paragraphSeparator, privateUse, spaceSeparator
    case surrogate, unassigned, other
    /// Not allowed in domains.
    case enclosingMark
  }

  /// Returns the general category of a scalar (Unicode Standard §4.5).
  static func kind(_ scalar: Unicode.Scalar) -> Kind {
    switch UCharCategory(rawValue: UInt32(swift_u_charType(Int32(bitPattern: scalar.value)))) {
    case U_LOWERCASE_LETTER: .lowercaseLetter
    case U_UPPERCASE_LETTER: .uppercaseLetter
    case U_OTHER_LETTER: .otherLetter
    case U_MODIFIER_LETTER: .modifierLetter
    case U_DECIMAL_DIGIT_NUMBER: .decimalNumber
    case U_NON_SPACING_MARK, U_COMBINING_SPACING_MARK: .mark
    case U_ENCLOSING_MARK: .enclosingMark
    case U_SPACE_SEPARATOR: .spaceSeparator
    case U_LINE_SEPARATOR: .lineSeparator
    case U_PARAGRAPH_SEPARATOR: .paragraphSeparator
    case U_CONTROL_CHAR: .control
    case U_FORMAT_CHAR: .format
    case U_PRIVATE_USE_CHAR: .privateUse
    case U_SURROGATE: .surrogate
    case U_UNASSIGNED: .unassigned
    default: .other
    }
  }

  /// Whether a scalar is invisible where it is unsupported (Default_Ignorable_Code_Point).
  static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
    swift_u_hasBinaryProperty(Int32(bitPattern: scalar.value), UCHAR_DEFAULT_IGNORABLE_CODE_POINT)
      != 0
  }

  // MARK: Scripts

  /// Alphabets whose letters look alike.
  enum LookAlike {
    case armenian, cherokee, cyrillic, greek, latin
  }

  /// Returns the look-alike alphabet of a scalar.
  static func lookAlike(_ scalar: Unicode.Scalar) -> LookAlike? {
    if scalar.isASCII {
      return UInt8(truncatingIfNeeded: scalar.value).isASCIILetter ? .latin : nil
    }
    var error = U_ZERO_ERROR
    switch swift_uscript_getScript(Int32(bitPattern: scalar.value), &error) {
    case USCRIPT_ARMENIAN: return .armenian
    case USCRIPT_CHEROKEE: return .cherokee
    case USCRIPT_CYRILLIC: return .cyrillic
    case USCRIPT_GREEK: return .greek
    case USCRIPT_LATIN: return .latin
    default: return nil
    }
  }

  /// How a scalar joins its neighbors in a cursive script.
  enum Joining { case left, right, both, transparent, none }

  /// Returns how a scalar joins its neighbors.
  static func joining(_ scalar: Unicode.Scalar) -> Joining {
    switch swift_u_getIntPropertyValue(Int32(bitPattern: scalar.value), UCHAR_JOINING_TYPE) {
    case Int32(U_JT_DUAL_JOINING.rawValue): .both
    case Int32(U_JT_LEFT_JOINING.rawValue): .left
    case Int32(U_JT_RIGHT_JOINING.rawValue): .right
    case Int32(U_JT_TRANSPARENT.rawValue): .transparent
    default: .none
    }
  }
}
