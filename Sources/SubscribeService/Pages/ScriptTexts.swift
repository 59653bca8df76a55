internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// What `embed.js` loads to speak the language of its form: the texts, and what is left to do after
/// a sign-up.
///
/// The pages of all sites may read it, so that a form can say that its site is not allowed.
struct ScriptTexts: Sendable {
  private let files: [String: Asset]

  init(nextStep: NextStep) {
    var files: [String: Asset] = [:]
    for texts in Texts.all {
      var json = JSONText()
      json.object { object in
        object.member("enlistNext", nextStep.rawValue)
        object.member("enlistLanguage", texts.language)
        object.member("started", texts.message(.started))
        object.member("completed", texts.message(.completed))
        object.member("failed", texts.message(.failed))
        object.member("suggestion", texts[.suggestion])
        object.member("unreachable", texts[.unreachable])
        guard nextStep != .none else { return }
        object.member("code", texts[.codeIntro])
        object.member("link", texts[.codeNone])
        object.member("codeButton", texts[.codeButton])
        object.member("confirmed", texts[.codeConfirmed])
      }
      files[texts.language] = Asset(json.bytes, mediaType: "application/json")
    }
    self.files = files
  }

  /// Makes the response to a request for the file; `nil` if there is none in a language.
  func response(to request: Request, in texts: Texts) -> Response? {
    var fields = FieldList()
    fields[.vary] = "Accept-Language"
    fields[.accessControlAllowOrigin] = "*"
    return files[texts.language]?.response(to: request, fields: fields)
  }
}
