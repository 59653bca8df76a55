extension EmailAddress {
  /// Judges what was typed: the validity signal is this function.
  ///
  /// A pure function of the text. What is plain ASCII is accepted in one pass; all else is looked at
  /// in the order of the reasons, never more than 254 bytes of it.
  ///
  /// - Parameters:
  ///   - typed: What the person typed, of any length and content.
  ///   - level: How strictly it is judged.
  /// - Returns: The address.
  /// - Throws: `EmailRefusal` with the first reason that applies.
  package static func judge(
    _ typed: String,
    level: EmailLevel = .form
  ) throws(EmailRefusal) -> EmailAddress {
    var text = typed
    return try text.withUTF8 { bytes in
      Result { () throws(EmailRefusal) in try judge(bytes, of: typed, level: level) }
    }
    .get()
  }

  /// Judges bytes, which need not be UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: What came in, of any length and content.
  ///   - level: How strictly it is judged.
  /// - Returns: The address.
  /// - Throws: `EmailRefusal` with the first reason that applies.
  package static func judge(
    _ bytes: UnsafeBufferPointer<UInt8>,
    level: EmailLevel = .form
  ) throws(EmailRefusal) -> EmailAddress {
    try judge(bytes, of: nil, level: level)
  }

  /// Judges bytes, with the text that they are of if there is one, which need not be made again then.
  private static func judge(
    _ bytes: UnsafeBufferPointer<UInt8>,
    of typed: String?,
    level: EmailLevel
  ) throws(EmailRefusal) -> EmailAddress {
    switch PlainJudgement.verdict(on: bytes, level: level) {
    case .accepted(let sign, let entered):
      return EmailAddress(plain: bytes, of: typed, sign: sign, entered: entered)
    case .refused(let refusal):
      throw refusal
    case .international(let entered):
      return try EmailJudgement(bytes, entered: entered, level: level).address()
    }
  }

  /// Whether an address would be accepted; makes nothing of it when it is plain ASCII.
  ///
  /// - Parameters:
  ///   - typed: What the person typed, of any length and content.
  ///   - level: How strictly it is judged.
  /// - Returns: Whether `judge` returns an address for it.
  package static func isValid(_ typed: String, level: EmailLevel = .form) -> Bool {
    var typed = typed
    return typed.withUTF8 { isValid($0, level: level) }
  }

  /// Whether bytes would be accepted; allocates nothing for what is ASCII.
  ///
  /// - Parameters:
  ///   - bytes: What came in, of any length and content.
  ///   - level: How strictly it is judged.
  /// - Returns: Whether `judge` returns an address for them.
  package static func isValid(
    _ bytes: UnsafeBufferPointer<UInt8>,
    level: EmailLevel = .form
  ) -> Bool {
    switch PlainJudgement.verdict(on: bytes, level: level) {
    case .accepted: return true
    case .refused: return false
    case .international(let entered):
      do throws(EmailRefusal) {
        _ = try EmailJudgement(bytes, entered: entered, level: level).address()
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
