internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The article's screen: a field, a button, a status line. What a site owner copies from.
///
/// It works as a plain form; `embed.js` makes it live.
struct SignUpPage: Sendable {
  let frame: PageFrame

  /// The page as a first visitor sees it: the same for everybody, and so kept by browsers.
  func asset(in texts: Translation) -> Asset {
    Asset(
      frame.octets(texts["page.title"], body(in: texts), in: texts),
      mediaType: PageFrame.mediaType
    )
  }

  /// The page after a refusal, with what was typed.
  ///
  /// - Parameters:
  ///   - message: What is wrong.
  ///   - typed: What the person typed.
  ///   - suggestion: What may have been meant.
  ///   - next: Where the form leads on.
  ///   - problem: The refusal, for programs.
  ///   - texts: The language.
  /// - Returns: The answer, with the status and the header fields of the refusal.
  func refusal(
    _ message: String,
    typed: String,
    suggestion: String?,
    next: String?,
    problem: ProblemDetails,
    in texts: Translation
  ) -> Response {
    let page = body(in: texts, typed: typed, message: message, suggestion: suggestion, next: next)
    var response = frame.response(texts["page.title"], page, in: texts, status: problem.status)
    for field in problem.fields { response.fields[field.name] = field.value }
    return response
  }

  private func body(
    in texts: Translation,
    typed: String = "",
    message: String = "",
    suggestion: String? = nil,
    next: String? = nil
  ) -> HTMLText {
    let isRefused = !message.isEmpty
    let invalid: HTMLText = isRefused ? " aria-invalid=\"true\"" : ""
    let state: HTMLText = isRefused ? " data-state=\"refused\"" : ""
    let nextField: HTMLText =
      next.map { "\n<input type=\"hidden\" name=\"next\" value=\"\($0)\">" } ?? ""
    return """
      <h1>\(texts["page.title"])</h1>
      <p>\(texts["page.intro"])</p>
      <form id="sign-up" method="post" action="/subscribers" novalidate data-enlist
       data-started="\(texts.message(.started))" data-completed="\(texts.message(.completed))"
       data-failed="\(texts.message(.failed))" data-suggestion="\(texts["page.suggestion"])">
      <label for="email">\(texts["page.label"])</label>
      <div class="row">
      <input id="email" name="email" type="email" autocomplete="email" required
       maxlength="254" aria-describedby="status" value="\(typed)"\(invalid)>
      <button id="subscribe">\(texts["page.button"])</button>
      </div>\(nextField)
      <button id="suggestion" class="suggestion" type="button" data-enlist-suggestion hidden></button>
      <p id="status" role="status" data-enlist-status\(state)>\(message)</p>
      </form>\(accepting(suggestion, next: nextField, in: texts))
      """
  }

  /// A form of its own with which a suggestion is accepted in one click, also without script.
  private func accepting(
    _ suggestion: String?,
    next: HTMLText,
    in texts: Translation
  ) -> HTMLText {
    guard let suggestion else { return "" }
    let question = texts["page.suggestion"].replacing("{}", with: suggestion)
    return """

      <noscript><form method="post" action="/subscribers">
      <input type="hidden" name="email" value="\(suggestion)">\(next)
      <button class="suggestion">\(question)</button>
      </form></noscript>
      """
  }
}
