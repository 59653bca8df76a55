internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The article's screen: a field, a button, a status line.
///
/// Site owners copy its form, which works as a plain form; `embed.js` makes it live.
struct SignUpPage: Sendable {
  let frame: PageFrame

  /// Creates the initial page, which is the same for all visitors, so browsers may cache it.
  func asset(in texts: Texts) -> Asset {
    Asset(
      frame.bytes(texts[.title], body(in: texts), in: texts),
      mediaType: PageFrame.mediaType
    )
  }

  /// Creates the page for a rejected sign-up, with the typed text in its form and a suggestion, if
  /// any.
  func rejection(
    _ problem: ProblemDetails,
    _ message: String,
    of form: SignUpForm,
    in texts: Texts
  ) -> Response {
    let page = body(in: texts, Rejection(problem: problem, message: message, form: form))
    var response = frame.response(texts[.title], page, in: texts, status: problem.status)
    response.fields.append(contentsOf: problem.fields)
    return response
  }

  private struct Rejection {
    let problem: ProblemDetails
    let message: String
    let form: SignUpForm

    /// The form's other fields, so the next attempt sends them again.
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

    /// The typed text; empty if it is much longer than any address.
    var typed: String { form.email.utf8.count <= 1024 ? form.email : "" }

    /// Whether the address is the reason for the rejection.
    var isOfAddress: Bool { problem.status == .unprocessableContent }
  }

  private func body(in texts: Texts, _ rejection: Rejection? = nil) -> HTMLText {
    let invalid: HTMLText = rejection?.isOfAddress == true ? " aria-invalid=\"true\"" : ""
    let state: HTMLText = rejection == nil ? "" : " data-state=\"refused\""
    return """
      <h1>\(texts[.title])</h1>
      <p>\(texts[.intro])</p>
      <form id="sign-up" method="post" action="/subscribers" novalidate data-enlist>
      <label for="email">\(texts[.label])</label>
      <div class="row">
      <input id="email" name="email" type="email" autocomplete="email" required
       maxlength="254" aria-describedby="status" value="\(rejection?.typed ?? "")"\(invalid)>
      <button id="subscribe">\(texts[.button])</button>
      </div>\(rejection?.hiddenFields ?? "")
      <p id="status" role="status" data-enlist-status\(state)>\(rejection?.message ?? "")</p>
      <p class="hint" aria-live="polite">
      <button id="suggestion" type="button" data-enlist-suggestion hidden></button>
      </p>
      </form>\(accepting(rejection, in: texts))
      """
  }

  /// Creates a separate form that accepts a suggestion with one click, without JavaScript.
  private func accepting(_ rejection: Rejection?, in texts: Texts) -> HTMLText {
    guard let rejection, let suggestion = rejection.problem.suggestion else { return "" }
    let question = texts[.suggestion].replacing("{}", with: suggestion)
    return """

      <noscript><form class="hint" method="post" action="/subscribers">
      <input type="hidden" name="email" value="\(suggestion)">\(rejection.hiddenFields)
      <button>\(question)</button>
      </form></noscript>
      """
  }
}
