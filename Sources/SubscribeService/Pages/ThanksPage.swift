internal import HTTPSignals
internal import MailingList

/// The page with the outcome of a sign-up from a plain form.
///
/// While the execution is in flight, `embed.js` shows its status messages.
struct ThanksPage: Sendable {
  let frame: PageFrame

  /// Makes the page of an execution.
  func response(
    for id: ExecutionID,
    after message: StatusMessage,
    in texts: Texts
  ) -> Response {
    let name = message.eventName.description
    // There are no more messages after the end.
    let events: HTMLText =
      message == .started
      ? """
       data-enlist-events="/executions/\(id.description)/events" \
      data-completed="\(texts.message(.completed))" data-failed="\(texts.message(.failed))" \
      data-started="\(texts.message(.started))"
      """ : ""
    let body: HTMLText = """
      <p>\(texts[.thanks])</p>
      <h1><span role="status" data-state="\(name)"\(events)>\(texts.message(message))</span></h1>
      <p><a href="/">\(texts[.back])</a></p>
      """
    return frame.response(texts[.title], body, in: texts)
  }
}
