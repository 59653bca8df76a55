/// The reason why a typed address is rejected.
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
  }

  package let reason: Reason
  /// The offset of the error in the typed text, in bytes; `nil` for an error without a position.
  package let offset: Int?

  package init(_ reason: Reason, at offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }
}
