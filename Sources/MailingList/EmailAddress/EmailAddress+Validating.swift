extension EmailAddress {
  /// Validates what was typed: the validity signal is this function.
  ///
  /// A pure function of the text. What is plain ASCII is accepted in one pass; all else is looked at
  /// in the order of the reasons, never more than 254 bytes of it.
  ///
  /// - Parameters:
  ///   - typed: What the person typed, of any length and content.
  ///   - level: How strictly it is validated.
  /// - Throws: `EmailAddressError` with the first reason that applies.
  package init(validating typed: String, level: EmailLevel = .form) throws(EmailAddressError) {
    var text = typed
    self = try text.withUTF8 { bytes in
      Result { () throws(EmailAddressError) in try Self.validated(bytes, of: typed, level: level) }
    }
    .get()
  }

  /// Validates bytes, which need not be UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: What came in, of any length and content.
  ///   - level: How strictly it is validated.
  /// - Throws: `EmailAddressError` with the first reason that applies.
  package init(
    validating bytes: UnsafeBufferPointer<UInt8>,
    level: EmailLevel = .form
  ) throws(EmailAddressError) {
    self = try Self.validated(bytes, of: nil, level: level)
  }

  /// Validates bytes, with the text that they are of if there is one: it need not be made again.
  private static func validated(
    _ bytes: UnsafeBufferPointer<UInt8>,
    of typed: String?,
    level: EmailLevel
  ) throws(EmailAddressError) -> EmailAddress {
    switch ASCIIAddressValidator.validate(bytes, level: level) {
    case .valid(let sign, let entered):
      return EmailAddress(plain: bytes, of: typed, sign: sign, entered: entered)
    case .invalid(let error):
      throw error
    case .international(let entered):
      return try InternationalAddressValidator(bytes, entered: entered, level: level).address()
    }
  }

  /// Whether an address would be accepted; makes nothing of it when it is plain ASCII.
  ///
  /// - Parameters:
  ///   - typed: What the person typed, of any length and content.
  ///   - level: How strictly it is validated.
  /// - Returns: Whether an address can be made of it.
  package static func isValid(_ typed: String, level: EmailLevel = .form) -> Bool {
    var typed = typed
    return typed.withUTF8 { isValid($0, level: level) }
  }

  /// Whether bytes would be accepted; allocates nothing for what is ASCII.
  ///
  /// - Parameters:
  ///   - bytes: What came in, of any length and content.
  ///   - level: How strictly it is validated.
  /// - Returns: Whether an address can be made of them.
  package static func isValid(
    _ bytes: UnsafeBufferPointer<UInt8>,
    level: EmailLevel = .form
  ) -> Bool {
    switch ASCIIAddressValidator.validate(bytes, level: level) {
    case .valid: return true
    case .invalid: return false
    case .international(let entered):
      do throws(EmailAddressError) {
        _ = try InternationalAddressValidator(bytes, entered: entered, level: level).address()
        return true
      } catch {
        return false
      }
    }
  }

  private init(
    plain bytes: UnsafeBufferPointer<UInt8>,
    of typed: String?,
    sign: Int,
    entered: Range<Int>
  ) {
    let address = bytes[entered]
    let isTrimmed = entered.count < bytes.count
    // One string in the usual case, where nothing but the address is typed, in lower case.
    let text = (isTrimmed ? nil : typed) ?? String(decoding: address, as: UTF8.self)
    let hasUppercase = address.contains(where: ASCIIByte.isUppercase)
    self.init(
      entered: text,
      normalized: hasUppercase ? ASCIIByte.lowercasedText(address, from: sign) : text,
      localLength: sign - address.startIndex,
      key: hasUppercase ? ASCIIByte.lowercasedText(address) : text,
      isTrimmed: isTrimmed
    )
  }
}
