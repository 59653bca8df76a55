internal import HTTPSignals

/// The pages of a link to leave the list: one button, no script.
struct LeavePage: Sendable {
  let frame: PageFrame

  /// Creates the page with the button that removes the person from the list.
  func question(in texts: Texts) -> Response {
    page(
      texts[.leaveTitle],
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
    page(
      texts[.leaveDone, list: frame.listName],
      """
      <p role="status">\(texts[.leaveDoneIntro])</p>
      <form action="/">
      <div class="row"><button>\(texts[.leaveBack])</button></div>
      </form>\(frame.siteLink(in: texts))
      """,
      texts
    )
  }

  private func page(_ title: String, _ rest: HTMLText, _ texts: Texts) -> Response {
    frame.response(title, "<h1>\(title)</h1>\n\(rest)", in: texts, as: .secret)
  }
}
