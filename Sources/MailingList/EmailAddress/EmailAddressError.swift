/// Why a typed address is not accepted.
package struct EmailAddressError: Error, Hashable, Sendable {
  /// What is wrong; the first that applies, in the order of the cases.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    case empty
    case tooLong
    case invalidUnicode
    case controlCharacter
    case displayName
    case quotedLocalPart
    case comment
    case whitespace
    case invisibleCharacter
    case missingAt
    case multipleAt
    case missingLocalPart
    case missingDomain
    case localTooLong
    case localCharacter
    case localDots
    case domainLiteral
    case domainCharacter
    case domainDots
    case domainHyphen
    case labelTooLong
    case internationalDomain
    case mixedScriptDomain
    case singleLabelDomain
    case topLevelDomain
    case specialUseDomain

    /// What the person is told; never repeats what was typed.
    package var message: String {
      switch self {
      case .empty: "Enter an email address."
      case .tooLong: "That address is too long (254 bytes at most)."
      case .invalidUnicode: "The address contains damaged characters."
      case .controlCharacter: "The address contains a control character."
      case .displayName: "Enter only the address, without a name or brackets."
      case .quotedLocalPart: "Quoted addresses are not accepted here."
      case .comment: "Remove the text in parentheses."
      case .whitespace: "The address contains a space."
      case .invisibleCharacter: "The address contains an invisible character."
      case .missingAt: "An address needs an @ sign."
      case .multipleAt: "An address has only one @ sign."
      case .missingLocalPart: "Something is missing before the @."
      case .missingDomain: "Something is missing after the @."
      case .localTooLong: "The part before the @ is too long (64 bytes at most)."
      case .localCharacter: "That character cannot be used before the @."
      case .localDots: "Dots before the @ cannot be first, last or doubled."
      case .domainLiteral: "An IP address in brackets is not accepted here."
      case .domainCharacter: "That character cannot be used after the @."
      case .domainDots: "Dots after the @ cannot be first, last or doubled."
      case .domainHyphen: "A domain name part cannot begin or end with a hyphen."
      case .labelTooLong: "A domain name part is too long (63 at most)."
      case .internationalDomain: "That international domain name is not valid."
      case .mixedScriptDomain: "The domain mixes look-alike alphabets."
      case .singleLabelDomain: "The domain needs an ending such as .com."
      case .topLevelDomain: "That domain ending does not exist."
      case .specialUseDomain: "That domain cannot receive email."
      }
    }
  }

  /// What is wrong.
  package let reason: Reason
  /// The byte of what was typed at which it is wrong, where there is one.
  package let offset: Int?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - reason: What is wrong.
  ///   - offset: The byte at which it is wrong.
  package init(_ reason: Reason, at offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }
}
