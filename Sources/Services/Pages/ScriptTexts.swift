internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The texts that `embed.js` loads in the language of its form, and the next step after a sign-up.
///
/// The pages of all sites may read them, so that a form can report that its site is not allowed.
struct ScriptTexts: Sendable {
  private let files: [String: Asset]

  init(_ catalog: TextCatalog, nextStep: NextStep, profile: ListProfile) {
    var files: [String: Asset] = [:]
    for texts in catalog.all {
      var json = JSONText()
      json.object { object in
        object.member("enlistNext", nextStep.rawValue)
        object.member("enlistLanguage", texts.language)
        object.member("started", texts.message(.started))
        object.member("completed", texts.message(.completed))
        object.member("failed", texts.message(.failed))
        object.member("suggestion", texts[.suggestion])
        object.member("unreachable", texts[.unreachable])
        if let consent = profile.consentText { object.member("consent", consent) }
        guard nextStep != .none else {
          // As below, for the service's own page.
          object.member("next", texts[.thanksNext])
          guard let url = profile.siteURL else { return }
          object.member("site", texts[.site, list: profile.name])
          object.member("siteURL", url)
          return
        }
        // For the service's own page, which must not contain them before a sign-up.
        object.member("title", texts[.codeTitle])
        object.member("sent", texts[.codeSent])
        object.member("wrongAddress", texts[.codeWrongAddress])
        object.member("code", texts[.codeIntro])
        object.member("link", texts[.codeNone])
        object.member("codeButton", texts[.codeButton])
        object.member("confirmed", texts[.codeConfirmed])
      }
      files[texts.language] = Asset(json.bytes, mediaType: "application/json")
    }
    self.files = files
  }

  /// Creates the response to a request for the texts; `nil` for a language without them.
  func response(to request: Request, in texts: Texts) -> Response? {
    var fields = FieldList()
    fields[.vary] = "Accept-Language"
    return files[texts.language]?.response(to: request, fields: fields)
  }
}
