/// What a person may have meant to type.
///
/// Worked out when asked for, and never a reason to accept or to reject: for a rejected address what
/// can be repaired and is then accepted, for an accepted one a domain that is much like a big
/// provider's.
package enum EmailSuggestion {
  /// Suggests an address.
  ///
  /// - Parameters:
  ///   - typed: What the person typed, of any length and content.
  ///   - level: How strictly it is validated.
  /// - Returns: An address that is accepted, as people write it; `nil` when there is nothing to
  ///   suggest.
  package static func forTyped(_ typed: String, level: EmailLevel = .form) -> String? {
    let result = Result { () throws(EmailAddressError) in
      try EmailAddress(validating: typed, level: level)
    }
    return forValidated(typed, result, level: level)
  }

  /// Suggests an address where it is already known what the typed one was validated to be.
  ///
  /// - Parameters:
  ///   - typed: What the person typed.
  ///   - result: What its validation gave.
  ///   - level: How strictly.
  /// - Returns: As ``forTyped(_:level:)``.
  package static func forValidated(
    _ typed: String,
    _ result: Result<EmailAddress, EmailAddressError>,
    level: EmailLevel = .form
  ) -> String? {
    switch result {
    case .success(let address): ofTypo(in: address)
    case .failure(let error): forInvalid(typed, error, level: level)
    }
  }

  /// Suggests the big provider's domain that an accepted address has nearly.
  static func ofTypo(in address: EmailAddress) -> String? {
    DomainTypo.correction(of: address.asciiDomain).map { "\(address.local)@\($0)" }
  }

  /// Repairs what is rejected until it is accepted, or nothing is known against the reason.
  private static func forInvalid(
    _ typed: String,
    _ error: EmailAddressError,
    level: EmailLevel
  ) -> String? {
    guard EmailRepair.isPossible(error.reason, typed) else { return nil }
    var reason = error.reason
    var repair = EmailRepair(typed)
    // One slip can hide another, but nobody makes many at once.
    for _ in 0..<8 {
      guard repair.repair(reason) else { return nil }
      do throws(EmailAddressError) {
        let address = try EmailAddress(validating: repair.text, level: level)
        return ofTypo(in: address) ?? readable(address)
      } catch {
        reason = error.reason
      }
    }
    return nil
  }

  /// An address for a person to read: nobody recognizes an A-label.
  private static func readable(_ address: EmailAddress) -> String {
    let isInternational = address.asciiDomain.utf8.split(separator: ASCIIByte.dot)
      .contains(where: ASCIIByte.beginsALabel)
    return isInternational ? address.entered : address.normalized
  }
}
