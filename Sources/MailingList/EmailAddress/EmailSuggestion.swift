/// What a person may have meant to type.
///
/// Worked out when asked for, and never a reason to accept or to refuse: for a refused address what
/// can be repaired and is then accepted, for an accepted one a domain that is much like a big
/// provider's.
package enum EmailSuggestion {
  /// Suggests an address.
  ///
  /// - Parameters:
  ///   - typed: What the person typed, of any length and content.
  ///   - level: How strictly it is judged.
  /// - Returns: An address that is accepted, in the form in which it would be stored; `nil` when
  ///   there is nothing to suggest.
  package static func forTyped(_ typed: String, level: EmailLevel = .form) -> String? {
    do throws(EmailRefusal) {
      return ofTypo(in: try .judge(typed, level: level))
    } catch {
      guard EmailRepair.mayHelp(against: error.reason),
        let repaired = try? EmailAddress.judge(EmailRepair.repair(typed), level: level)
      else { return nil }
      return ofTypo(in: repaired) ?? repaired.normalised
    }
  }

  /// Suggests the big provider's domain that an accepted address has nearly.
  static func ofTypo(in address: EmailAddress) -> String? {
    DomainTypo.correction(of: address.asciiDomain).map { "\(address.local)@\($0)" }
  }
}
