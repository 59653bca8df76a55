internal import HTTPSignals
internal import HTTPTypes

/// The pages of a link to confirm: one button, no script.
///
/// Programs that scan mails open links and run scripts, so only a person's click confirms.
struct ConfirmPage: Sendable {
  let frame: PageFrame

  /// Creates the page with the button that confirms.
  func question(in texts: Texts) -> Response {
    page(
      texts[.confirmTitle],
      """
      <p>\(texts[.confirmIntro, list: frame.listName])</p>
      <form method="post">
      <div class="row"><button>\(texts[.confirmButton])</button></div>
      </form>
      """,
      texts
    )
  }

  /// Creates the page after the confirmation.
  func done(in texts: Texts) -> Response { subscribed(texts[.confirmDone], texts) }

  /// Creates the page for a person who is already a subscriber.
  func already(in texts: Texts) -> Response { subscribed(texts[.confirmAlready], texts) }

  private func subscribed(_ title: String, _ texts: Texts) -> Response {
    let intro = texts[.confirmDoneIntro, list: frame.listName]
    return page(title, "<p role=\"status\">\(intro)</p>\(frame.siteLink(in: texts))", texts)
  }

  /// Creates the page of an expired link, with the button for a new one.
  func expired(renewingAt path: String, in texts: Texts) -> Response {
    page(
      texts[.confirmExpired],
      """
      <p>\(texts[.confirmExpiredIntro])</p>
      <form method="post" action="\(path)">
      <div class="row"><button>\(texts[.confirmRenew])</button></div>
      </form>
      """,
      texts,
      status: ProblemDetails.tokenExpired.status
    )
  }

  /// Creates the page after a request for a new link, which is the same in every case.
  func renewed(in texts: Texts) -> Response {
    page(texts[.confirmTitle], "<p role=\"status\">\(texts[.confirmRenewed])</p>", texts)
  }

  private func page(
    _ title: String, _ rest: HTMLText, _ texts: Texts, status: HTTPResponse.Status = .ok
  ) -> Response {
    frame.response(title, "<h1>\(title)</h1>\n\(rest)", in: texts, status: status, as: .secret)
  }
}

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
