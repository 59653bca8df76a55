internal import Platform

extension EmailAddress {
  /// Validates typed text; the validity signal uses this function.
  ///
  /// The result depends only on the text and the level. Plain ASCII is accepted in one pass. All
  /// other text is checked in the order of the reasons; after trimming, no more than 254 bytes are
  /// validated.
  package init(validating typed: String, level: EmailLevel = .form) throws(EmailAddressError) {
    var text = typed
    self = try text.withUTF8 { bytes in
      Result { () throws(EmailAddressError) in try Self.validated(bytes, of: typed, level: level) }
    }
    .get()
  }

  /// Validates bytes of any length and content, which are not necessarily UTF-8.
  package init(
    validating bytes: UnsafeBufferPointer<UInt8>, level: EmailLevel = .form
  ) throws(EmailAddressError) {
    self = try Self.validated(bytes, of: nil, level: level)
  }

  /// Validates bytes, and reuses the text they belong to, if given, instead of decoding it again.
  private static func validated(
    _ bytes: UnsafeBufferPointer<UInt8>, of typed: String?, level: EmailLevel
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

  /// Returns whether typed text is a valid address, without creating the address if it is ASCII.
  package static func isValid(_ typed: String, level: EmailLevel = .form) -> Bool {
    var typed = typed
    return typed.withUTF8 { isValid($0, level: level) }
  }

  /// Returns whether bytes of any length and content are a valid address, without allocating memory
  /// for plain ASCII.
  package static func isValid(
    _ bytes: UnsafeBufferPointer<UInt8>, level: EmailLevel = .form
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
    plain bytes: UnsafeBufferPointer<UInt8>, of typed: String?, sign: Int, entered: Range<Int>
  ) {
    let address = bytes[entered]
    let isTrimmed = entered.count < bytes.count
    // The usual input is a lowercase address without white space: one string serves all three.
    let text = (isTrimmed ? nil : typed) ?? String(decoding: address, as: UTF8.self)
    let hasUppercase = address.contains { $0.isASCIIUppercase }
    self.init(
      entered: text,
      normalized: hasUppercase ? String(asciiLowercasing: address, from: sign) : text,
      localLength: sign - address.startIndex,
      key: hasUppercase ? String(asciiLowercasing: address) : text, isTrimmed: isTrimmed)
  }
}
