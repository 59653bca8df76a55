/// The reason a typed address is rejected.
package struct EmailAddressError: Error, Hashable, Sendable {
  /// The kind of error; when several apply, the first in the order of the cases is reported.
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

    /// The English message for the visitor; it never repeats the typed text.
    package var message: String {
      switch self {
      case .empty: "Enter an email address."
      case .tooLong: "That address is too long (at most 254 characters)."
      case .invalidUnicode: "The address contains characters that could not be read."
      case .controlCharacter: "The address contains a control character."
      case .displayName: "Enter only the address, without a name or brackets."
      case .quotedLocalPart: "Quoted addresses are not accepted here."
      case .comment: "Remove the text in parentheses."
      case .whitespace: "The address contains a space."
      case .invisibleCharacter: "The address contains an invisible character."
      case .missingAt: "An address needs an @ sign."
      case .multipleAt: "An address can contain only one @ sign."
      case .missingLocalPart: "Something is missing before the @."
      case .missingDomain: "Something is missing after the @."
      case .localTooLong: "The part before the @ is too long (at most 64 characters)."
      case .localCharacter: "That character cannot be used before the @."
      case .localDots:
        "The part before the @ cannot start or end with a dot, or contain two in a row."
      case .domainLiteral: "An IP address in brackets is not accepted here."
      case .domainCharacter: "That character cannot be used after the @."
      case .domainDots:
        "The part after the @ cannot start or end with a dot, or contain two in a row."
      case .domainHyphen: "No part of the domain can start or end with a hyphen."
      case .labelTooLong: "Each part of the domain can have at most 63 characters."
      case .internationalDomain: "That international domain name is not valid."
      case .mixedScriptDomain: "The domain mixes look-alike alphabets."
      case .singleLabelDomain: "The domain needs an ending such as .com."
      case .topLevelDomain: "That domain ending does not exist."
      case .specialUseDomain: "That domain cannot receive email."
      }
    }
  }

  /// The kind of error.
  package let reason: Reason
  /// The offset of the error in the typed text, in bytes; `nil` when the error has no position.
  package let offset: Int?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - reason: The kind of error.
  ///   - offset: The offset of the error in the typed text, in bytes.
  package init(_ reason: Reason, at offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }
}
