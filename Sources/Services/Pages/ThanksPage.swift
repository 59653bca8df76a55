internal import HTTPSignals
internal import MailingList

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
