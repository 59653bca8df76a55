extension EmailAddress {
  /// Judges what was typed: the validity signal is this function.
  ///
  /// A pure function of the text. What is plain ASCII is accepted in one pass; all else is looked at
  /// in the order of the reasons, never more than 254 octets of it.
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
    var typed = typed
    return try typed.withUTF8 { octets in
      Result { () throws(EmailRefusal) in try judge(octets, level: level) }
    }
    .get()
  }

  /// Judges octets, which need not be UTF-8.
  ///
  /// - Parameters:
  ///   - octets: What came in, of any length and content.
  ///   - level: How strictly it is judged.
  /// - Returns: The address.
  /// - Throws: `EmailRefusal` with the first reason that applies.
  package static func judge(
    _ octets: UnsafeBufferPointer<UInt8>,
    level: EmailLevel = .form
  ) throws(EmailRefusal) -> EmailAddress {
    guard let sign = ASCIIAddress.sign(in: octets, level: level) else {
      return try EmailJudgement(octets, level: level).address()
    }
    let domain = String(
      decoding: octets[(sign + 1)...].lazy.map(Octet.lowercased),
      as: UTF8.self
    )
    let localKey = String(decoding: octets[..<sign].lazy.map(Octet.lowercased), as: UTF8.self)
    return EmailAddress(
      entered: String(decoding: octets, as: UTF8.self),
      local: String(decoding: octets[..<sign], as: UTF8.self),
      asciiDomain: domain,
      key: "\(localKey)@\(domain)"
    )
  }

  /// Whether an address would be accepted; makes nothing of it when it is plain ASCII.
  ///
  /// - Parameters:
  ///   - typed: What the person typed, of any length and content.
  ///   - level: How strictly it is judged.
  /// - Returns: Whether `judge` returns an address for it.
  package static func isValid(_ typed: String, level: EmailLevel = .form) -> Bool {
    var typed = typed
    return typed.withUTF8 { octets in
      if ASCIIAddress.sign(in: octets, level: level) != nil { return true }
      do throws(EmailRefusal) {
        _ = try EmailJudgement(octets, level: level).address()
        return true
      } catch {
        return false
      }
    }
  }
}
