internal import MailingList

/// Templates that have been checked, and what each kind of mail says in each language.
///
/// A ``MailComposer`` is made from them and from keys. Wordings need no keys, so templates can be
/// checked before the store is open, which may contain the secret.
package struct MailWordings: Sendable {
  /// What the operator has set.
  let identity: MailIdentity
  /// The templates.
  let templates: MailTemplates
  /// The wordings by kind and language.
  private let wordings: [MailKind: [String: MailWording]]

  /// Renders each template in each language once.
  ///
  /// - Throws: `TemplateError` for the first template that cannot be used.
  package init(_ identity: MailIdentity, _ templates: MailTemplates) throws(TemplateError) {
    self.identity = identity
    self.templates = templates
    let check = TemplateCheck(identity, templates)
    var wordings: [MailKind: [String: MailWording]] = [:]
    for kind in MailKind.allCases {
      for texts in MailTexts.all {
        wordings[kind, default: [:]][texts.language] = try check.wording(of: kind, texts)
      }
    }
    self.wordings = wordings
  }

  /// Returns what a kind of mail says in a language; `nil` for a language without texts.
  func wording(of kind: MailKind, in language: String) -> MailWording? {
    wordings[kind]?[language]
  }
}
