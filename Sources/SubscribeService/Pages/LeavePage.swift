internal import HTTPSignals

/// The pages of a link to leave the list: one button, no script.
struct LeavePage: Sendable {
  let frame: PageFrame

  /// Creates the page with the button that removes the person from the list.
  func question(in texts: Texts) -> Response {
    page(
      """
      <p>\(texts[.leaveIntro, list: frame.listName])</p>
      <form method="post">
      <div class="row"><button>\(texts[.leaveButton])</button></div>
      </form>
      """,
      texts
    )
  }

  /// Creates the page for a person who is not on the list, which is the same in every state.
  func done(in texts: Texts) -> Response {
    page("<p role=\"status\">\(texts[.leaveDone, list: frame.listName])</p>", texts)
  }

  private func page(_ rest: HTMLText, _ texts: Texts) -> Response {
    let title = texts[.leaveTitle]
    return frame.response(title, "<h1>\(title)</h1>\n\(rest)", in: texts, as: .secret)
  }
}
