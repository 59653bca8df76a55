internal import HTTPSignals
internal import MailingList

/// The sign-up page: a field, a button, a status line.
///
/// Site owners copy its form, which works as a plain form; `embed.js` makes it live.
extension Pages {
  /// Creates the initial page, which is the same for all visitors, so browsers may cache it.
  func home(in texts: Texts) -> Asset {
    Asset(
      bytes(texts[.title], signUpForm(in: texts), in: texts, as: .home), mediaType: Self.mediaType)
  }

  /// Creates and counts the page for a rejected sign-up, with the typed text in its form and a suggestion, if
  /// any.
  func rejection(
    _ problem: ProblemDetails, _ message: String, of form: SignUpForm, in texts: Texts
  ) -> Response {
    let page = signUpForm(in: texts, Rejection(problem: problem, message: message, form: form))
    return response(texts.refused(texts[.title]), page, in: texts, because: problem, as: .home)
  }

  private struct Rejection {
    let problem: ProblemDetails
    let message: String
    let form: SignUpForm

    /// The form's other fields, so the next attempt sends them again.
    ///
    /// - Parameter box: The text of the page's own box for the consent.
    func hiddenFields(beside box: String?) -> HTMLText {
      Self.hidden([
        ("next", form.next), ("locale", form.consent.locale),
        ("consent", form.consent.text == box ? nil : form.consent.text),
      ])
    }

    /// The owner's fields, for a form that does not show them.
    var hiddenValues: HTMLText {
      Self.hidden(form.values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    private static func hidden(_ fields: [(String, String?)]) -> HTMLText {
      HTMLText(
        fields.compactMap { name, value in
          value.map { "\n<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">" }
        }
      )
    }

    /// The typed text; empty if it is much longer than any address.
    var typed: String { form.email.utf8.count <= 1024 ? form.email : "" }

    /// The attributes of a field; empty if it is not the reason for the rejection.
    func mark(_ name: String) -> HTMLText {
      let isReason = problem.errors.contains { $0.pointer.dropFirst() == name }
      return isReason ? " aria-invalid=\"true\" autofocus" : ""
    }
  }

  private func signUpForm(in texts: Texts, _ rejection: Rejection? = nil) -> HTMLText {
    let heading = profile.name.isEmpty ? "\(texts[.title])" : name(linkingTo: nil)
    let state: HTMLText = rejection == nil ? "" : " data-state=\"refused\""
    let box = consentBox(after: rejection)
    // The browser must not send the form without the consent or a required field.
    let isComplete = box == nil && !profile.fields.contains(where: \.isRequired)
    let validation: HTMLText = isComplete ? " novalidate" : ""
    let hidden = rejection?.hiddenFields(beside: box == nil ? nil : profile.consentText) ?? ""
    // The box comes before the button that needs it.
    let row: HTMLText = box == nil ? "<div class=\"row\">\n" : ""
    let boxed: HTMLText = box.map { "\($0)\n<div class=\"row\">" } ?? ""
    let press: HTMLText = nextStep == .code ? " data-code=\"\(texts[.codePress])\"" : ""
    return """
      <h1>\(heading)</h1>
      <p><bdi>\(profile.description ?? texts[.intro])</bdi></p>
      <form id="sign-up" method="post" action="/subscribers"\(validation) data-enlist
       data-enlist-page data-enlist-code="confirm"\(press)>\(ownFields(after: rejection, in: texts))
      <label for="email">\(texts[.label])</label>
      \(row)<input id="email" name="email" type="email" autocomplete="email" required
       maxlength="254" aria-describedby="status" value="\(rejection?.typed ?? "")"\(rejection?.mark("email") ?? "")>\(boxed)
      <button id="subscribe">\(texts[.button])</button>
      </div>\(hidden)
      <p id="status" role="status" data-enlist-status\(state)>\(rejection?.message ?? "")</p>
      <p class="hint" aria-live="polite" data-enlist-suggestion="suggestion"></p>
      </form>\(accepting(rejection, hidden, in: texts))
      """
  }

  /// Creates the owner's fields, which precede the address and its button.
  private func ownFields(after rejection: Rejection?, in texts: Texts) -> HTMLText {
    HTMLText(
      profile.fields.map { field in
        let value = rejection?.form.values[field.name] ?? ""
        let limit = String(FormField.maximumCharacters)
        let required: HTMLText = field.isRequired ? " required" : ""
        return """

          <label for="field-\(field.name)">\(texts.label(of: field))</label>
          <input id="field-\(field.name)" name="\(field.name)" value="\(value)"
           maxlength="\(limit)" aria-describedby="status"\(required)\(rejection?.mark(field.name) ?? "")>
          """
      }
    )
  }

  /// Creates the box for the consent; `nil` without one, and for a form with its own consent.
  private func consentBox(after rejection: Rejection?) -> HTMLText? {
    guard let text = profile.consentText else { return nil }
    let given = rejection?.form.consent.text
    guard given == nil || given == text else { return nil }
    let checked: HTMLText = given == nil ? "" : " checked"
    return """

      <label class="consent"><input type="checkbox" name="consent" value="\(text)" required aria-invalid="false"\(checked)>
      <bdi>\(text)</bdi></label>
      """
  }

  /// Creates a separate form that accepts a suggestion with one click, without JavaScript.
  private func accepting(_ rejection: Rejection?, _ hidden: HTMLText, in texts: Texts) -> HTMLText {
    guard let rejection, let suggestion = rejection.problem.suggestion else { return "" }
    let question = texts[.suggestion].replacing("{}", with: suggestion)
    return """

      <noscript><form class="hint" method="post" action="/subscribers">
      <input type="hidden" name="email" value="\(suggestion)">\(hidden)\(rejection.hiddenValues)
      <button>\(question)</button>
      </form></noscript>
      """
  }
}

/// The page with the outcome of a sign-up from a plain form.
///
/// While the execution is in flight, `embed.js` shows its status messages. With double opt-in the
/// page has a form for the code of the mail, and `code.js` waits for the confirmation. The page is
/// the same in every state of the list.
extension Pages {
  /// Creates the page of an execution; a problem with a typed code determines its status, and is
  /// counted.
  func thanks(
    for id: ExecutionID, after message: StatusMessage, rejecting problem: ProblemDetails? = nil,
    in texts: Texts
  ) -> Response {
    let name = message.eventName.description
    // There are no more messages after the end.
    let events: HTMLText =
      message == .started
      ? """
       data-enlist-execution="/executions/\(id.description)" \
      data-completed="\(texts.message(.completed))" data-failed="\(texts.message(.failed))" \
      data-started="\(texts.message(.started))"
      """ : ""
    let isOver = nextStep == .none || message == .failed
    let form: HTMLText = message == .failed ? "" : codeForm(of: id, rejecting: problem, in: texts)
    let body: HTMLText = """
      <h1><span role="status" data-state="\(name)"\(events)>\(texts.message(message))</span></h1>\
      \(form)
      <p><a href="/">\(texts[isOver ? .back : .codeWrongAddress])</a></p>
      """
    let title = isOver ? texts.message(message) : texts[.codeTitle]
    return response(
      problem == nil ? title : texts.refused(title), body, in: texts, because: problem)
  }

  /// Creates the page after a confirmation by a code.
  func confirmedByCode(in texts: Texts) -> Response {
    let body: HTMLText = """
      <h1><span role="status" data-state="confirmed">\(texts[.codeConfirmed])</span></h1>
      <p>\(texts[.confirmDoneIntro, list: profile.name])</p>\(siteLink(in: texts))
      """
    return response(texts[.codeConfirmed], body, in: texts)
  }

  /// Creates the form for the code, or only its text if mails have no code.
  private func codeForm(
    of id: ExecutionID, rejecting problem: ProblemDetails?, in texts: Texts
  ) -> HTMLText {
    let invalid: HTMLText = problem == nil ? "" : " aria-invalid=\"true\" autofocus"
    let state: HTMLText = problem == nil ? "" : " data-state=\"refused\""
    let message = problem.map { texts[$0.text] } ?? ""
    let field: HTMLText
    switch nextStep {
    case .none: return "\n<p>\(texts[.thanksNext])</p>\(siteLink(in: texts))"
    case .link: field = "<p>\(texts[.codeNone])</p>"
    case .code:
      field = """
        <label for="code">\(texts[.codePress])</label>
        <div class="row">
        <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required
         maxlength="16" aria-describedby="code-status"\(invalid)>
        <button>\(texts[.codeButton])</button>
        </div>
        """
    }
    return """

      <h2>\(texts[.codeTitle])</h2>
      <form method="post" action="/executions/\(id.description)/code"
       data-enlist-confirm="/executions/\(id.description)" data-confirmed="\(texts[.codeConfirmed])">
      \(field)
      <p id="code-status" role="status"\(state)>\(message)</p>
      </form>
      <script src="/code.js" defer></script>
      """
  }
}
