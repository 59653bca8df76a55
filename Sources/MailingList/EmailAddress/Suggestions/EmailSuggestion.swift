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
  /// - Returns: An address that is accepted, as people write it; `nil` when there is nothing to
  ///   suggest.
  package static func forTyped(_ typed: String, level: EmailLevel = .form) -> String? {
    let judgement = Result { () throws(EmailRefusal) in
      try EmailAddress.judge(typed, level: level)
    }
    return forJudged(typed, judgement, level: level)
  }

  /// Suggests an address where it is already known what the typed one was judged to be.
  ///
  /// - Parameters:
  ///   - typed: What the person typed.
  ///   - judgement: What it was judged to be.
  ///   - level: How strictly.
  /// - Returns: As ``forTyped(_:level:)``.
  package static func forJudged(
    _ typed: String,
    _ judgement: Result<EmailAddress, EmailRefusal>,
    level: EmailLevel = .form
  ) -> String? {
    switch judgement {
    case .success(let address): ofTypo(in: address)
    case .failure(let refusal): forRefused(typed, refusal, level: level)
    }
  }

  /// Suggests the big provider's domain that an accepted address has nearly.
  static func ofTypo(in address: EmailAddress) -> String? {
    DomainTypo.correction(of: address.asciiDomain).map { "\(address.local)@\($0)" }
  }

  /// Repairs what is refused until it is accepted, or nothing is known against the reason.
  private static func forRefused(
    _ typed: String,
    _ refusal: EmailRefusal,
    level: EmailLevel
  ) -> String? {
    guard EmailRepair.isPossible(refusal.reason, typed) else { return nil }
    var refusal = refusal
    var repair = EmailRepair(typed)
    // One slip can hide another, but nobody makes many at once.
    for _ in 0..<8 {
      guard repair.repair(refusal.reason) else { return nil }
      do throws(EmailRefusal) {
        let address = try EmailAddress.judge(repair.text, level: level)
        return ofTypo(in: address) ?? readable(address)
      } catch {
        refusal = error
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
