internal import _FoundationICU

/// What of Unicode the standard library does not offer: the only file that calls ICU.
///
/// The module belongs to the toolchain and is not a public one, so nothing of it leaves this file.
enum UnicodeTables {
  /// A normalisation form (Unicode Standard Annex 15).
  enum Form {
    /// Canonical composition.
    case canonical
    /// Compatibility composition.
    case compatible
  }

  /// What is wrong with a domain.
  struct DomainErrors: OptionSet {
    let rawValue: UInt32

    /// A label of more than 63 octets.
    static let labelTooLong = DomainErrors(rawValue: 0x2)
    /// A code point that no domain may hold.
    static let disallowed = DomainErrors(rawValue: 0x80)
    /// A joiner out of its context (RFC 5892, appendices A.1 and A.2).
    static let joiner = DomainErrors(rawValue: 0x1000)
    /// Leading marks, bad A-labels, bidirectional text and contextual rules.
    static let others = DomainErrors(rawValue: 0x6FC0)
  }

  /// A domain in both of its forms (UTS 46, not transitional).
  struct Domain {
    /// A-labels.
    var ascii: [UInt8]
    /// U-labels.
    var unicode: [Unicode.Scalar]
    /// What is wrong with it.
    var errors: DomainErrors
  }

  /// Lends the text in a normalisation form; `nil` only when there is no memory.
  static func normalised(_ text: String, _ form: Form) -> String? {
    var error = U_ZERO_ERROR
    let tables =
      switch form {
      case .canonical: swift_unorm2_getNFCInstance(&error)
      case .compatible: swift_unorm2_getNFKCInstance(&error)
      }
    let source = Array(text.utf16)
    // A code unit of the longest decomposition becomes 18 of them.
    let capacity = source.count * 18 + 1
    let units = [UInt16](unsafeUninitializedCapacity: capacity) { buffer, count in
      let length = swift_unorm2_normalize(
        tables,
        source,
        Int32(source.count),
        buffer.baseAddress,
        Int32(capacity),
        &error
      )
      count = error.rawValue <= 0 ? Int(length) : 0
    }
    return error.rawValue <= 0 ? String(decoding: units, as: UTF16.self) : nil
  }

  // nonisolated(unsafe) because the instance is immutable, and never closed.
  private nonisolated(unsafe) static let idna: OpaquePointer? = {
    var error = U_ZERO_ERROR
    // Bidi, joiners, non-transitional both ways, other contexts.
    return swift_uidna_openUTS46(0x4 | 0x8 | 0x10 | 0x20 | 0x40, &error)
  }()

  /// Maps a domain; `nil` when there are no tables.
  static func domain(_ text: String) -> Domain? {
    guard let idna else { return nil }
    let source = text.utf8.map { CChar(bitPattern: $0) }
    var info = UIDNAInfo()
    info.size = Int16(MemoryLayout<UIDNAInfo>.size)
    var errors: UInt32 = 0
    var failed = false
    func convert(
      _ function: (UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, Int32) -> (Int32, Bool)
    ) -> [UInt8] {
      let capacity = 2048
      let octets = [CChar](unsafeUninitializedCapacity: capacity) { buffer, count in
        let (length, isFine) = source.withUnsafeBufferPointer { pointer in
          pointer.baseAddress.map { function($0, buffer.baseAddress, Int32(capacity)) } ?? (0, true)
        }
        if !isFine { failed = true }
        count = isFine ? Int(length) : 0
      }
      errors |= info.errors
      return octets.map { UInt8(bitPattern: $0) }
    }
    let ascii = convert { name, buffer, capacity in
      var error = U_ZERO_ERROR
      let length = swift_uidna_nameToASCII_UTF8(
        idna,
        name,
        Int32(source.count),
        buffer,
        capacity,
        &info,
        &error
      )
      return (length, error.rawValue <= 0)
    }
    let unicode = convert { name, buffer, capacity in
      var error = U_ZERO_ERROR
      let length = swift_uidna_nameToUnicodeUTF8(
        idna,
        name,
        Int32(source.count),
        buffer,
        capacity,
        &info,
        &error
      )
      return (length, error.rawValue <= 0)
    }
    guard !failed else { return nil }
    return Domain(
      ascii: ascii,
      unicode: Array(String(decoding: unicode, as: UTF8.self).unicodeScalars),
      errors: DomainErrors(rawValue: errors)
    )
  }

  /// The script of a scalar, as a number; 0 and 1 are common and inherited.
  static func script(_ scalar: Unicode.Scalar) -> Int32 {
    var error = U_ZERO_ERROR
    return Int32(swift_uscript_getScript(Int32(bitPattern: scalar.value), &error).rawValue)
  }

  /// Alphabets that look alike: Armenian, Cherokee, Cyrillic, Greek and Latin.
  static let lookAlikeScripts: Set<Int32> = [
    Int32(USCRIPT_ARMENIAN.rawValue), Int32(USCRIPT_CHEROKEE.rawValue),
    Int32(USCRIPT_CYRILLIC.rawValue), Int32(USCRIPT_GREEK.rawValue),
    Int32(USCRIPT_LATIN.rawValue),
  ]

  /// How a scalar joins its neighbours in a cursive script.
  enum Joining { case left, right, both, transparent, none }

  /// How a scalar joins its neighbours.
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
