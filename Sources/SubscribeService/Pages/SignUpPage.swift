internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The article's screen: a field, a button, a status line.
///
/// What a site owner copies from. It works as a plain form; `embed.js` makes it live.
struct SignUpPage: Sendable {
  let frame: PageFrame

  /// The page as a first visitor sees it: the same for everybody, and so kept by browsers.
  func asset(in texts: Texts) -> Asset {
    Asset(
      frame.bytes(texts["page.title"], body(in: texts), in: texts),
      mediaType: PageFrame.mediaType
    )
  }

  /// The page after a rejection, with what was typed.
  ///
  /// - Parameters:
  ///   - problem: What is wrong, and what may have been meant.
  ///   - message: The same for people.
  ///   - form: What was sent.
  ///   - texts: The language.
  /// - Returns: The answer, with the status and the header fields of the problem.
  func rejection(
    _ problem: ProblemDetails,
    _ message: String,
    of form: SignUpForm,
    in texts: Texts
  ) -> Response {
    let page = body(in: texts, Rejection(problem: problem, message: message, form: form))
    var response = frame.response(texts["page.title"], page, in: texts, status: problem.status)
    for field in problem.fields { response.fields[field.name] = field.value }
    return response
  }

  private struct Rejection {
    let problem: ProblemDetails
    let message: String
    let form: SignUpForm

    /// What the form had beside the address: the person need not send it again.
    var hiddenFields: HTMLText {
      let fields = [
        ("next", form.next), ("consent", form.consent.text), ("locale", form.consent.locale),
      ]
      return HTMLText(
        fields.compactMap { name, value in
          value.map { "\n<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">" }
        }
      )
    }

    /// What was typed, unless it is much longer than any address.
    var typed: String { form.email.utf8.count <= 1024 ? form.email : "" }

    /// Whether it is the address that is to blame.
    var isOfAddress: Bool { problem.status == .unprocessableContent }
  }

  private func body(in texts: Texts, _ rejection: Rejection? = nil) -> HTMLText {
    let invalid: HTMLText = rejection?.isOfAddress == true ? " aria-invalid=\"true\"" : ""
    let state: HTMLText = rejection == nil ? "" : " data-state=\"refused\""
    return """
      <h1>\(texts["page.title"])</h1>
      <p>\(texts["page.intro"])</p>
      <form id="sign-up" method="post" action="/subscribers" novalidate data-enlist
       data-started="\(texts.message(.started))" data-completed="\(texts.message(.completed))"
       data-failed="\(texts.message(.failed))" data-suggestion="\(texts["page.suggestion"])">
      <label for="email">\(texts["page.label"])</label>
      <div class="row">
      <input id="email" name="email" type="email" autocomplete="email" required
       maxlength="254" aria-describedby="status" value="\(rejection?.typed ?? "")"\(invalid)>
      <button id="subscribe">\(texts["page.button"])</button>
      </div>\(rejection?.hiddenFields ?? "")
      <p id="status" role="status" data-enlist-status\(state)>\(rejection?.message ?? "")</p>
      <p class="hint" aria-live="polite">
      <button id="suggestion" type="button" data-enlist-suggestion hidden></button>
      </p>
      </form>\(accepting(rejection, in: texts))
      """
  }

  /// A form of its own with which a suggestion is accepted in one click, also without script.
  private func accepting(_ rejection: Rejection?, in texts: Texts) -> HTMLText {
    guard let rejection, let suggestion = rejection.problem.suggestion else { return "" }
    let question = texts["page.suggestion"].replacing("{}", with: suggestion)
    return """

      <noscript><form class="hint" method="post" action="/subscribers">
      <input type="hidden" name="email" value="\(suggestion)">\(rejection.hiddenFields)
      <button>\(question)</button>
      </form></noscript>
      """
  }
}
