/// Suggestions for mistyped addresses.
///
/// The suggestion for a rejected address is a repaired address that is accepted. For an accepted
/// address, it replaces a domain that closely resembles that of a large provider. A suggestion is
/// computed on demand and never affects validation.
package enum EmailSuggestion {
  /// Returns a valid address in readable form; `nil` without a suggestion.
  package static func forTyped(_ typed: String, level: EmailLevel = .form) -> String? {
    let result = Result { () throws(EmailAddressError) in
      try EmailAddress(validating: typed, level: level)
    }
    return forValidated(typed, result, level: level)
  }

  /// Returns the same for typed text that has already been validated.
  package static func forValidated(
    _ typed: String, _ result: Result<EmailAddress, EmailAddressError>, level: EmailLevel = .form
  ) -> String? {
    switch result {
    case .success(let address): ofTypo(in: address)
    case .failure(let error): forInvalid(typed, error, level: level)
    }
  }

  /// Returns an accepted address with a large provider's domain instead of a likely typo.
  static func ofTypo(in address: EmailAddress) -> String? {
    DomainTypo.correction(of: address.asciiDomain).map { "\(address.local)@\($0)" }
  }

  /// Repairs rejected text until it is accepted, or until no repair for the reason exists.
  private static func forInvalid(
    _ typed: String, _ error: EmailAddressError, level: EmailLevel
  ) -> String? {
    guard EmailRepair.isPossible(error.reason, typed) else { return nil }
    var reason = error.reason
    var repair = EmailRepair(typed)
    // One mistake can hide another, but more than a few at once are unlikely.
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

  /// Returns an address in readable form, because visitors cannot read an A-label.
  private static func readable(_ address: EmailAddress) -> String {
    let isInternational = address.asciiDomain.utf8.split(separator: .dot)
      .contains { $0.beginsALabel }
    return isInternational ? address.entered : address.normalized
  }
}
