internal import HTTPSignals
internal import MailingList

/// The pages of links to confirm and to leave the list: one button, no script.
///
/// Programs that scan mails open links and run scripts, so only a person's click confirms.
extension Pages {
  // MARK: Confirming

  /// Creates the page with the button that confirms.
  func confirmation(in texts: Texts) -> Response {
    secret(
      texts[.confirmTitle],
      """
      <p>\(texts[.confirmIntro, list: profile.name])</p>
      <form method="post">
      <div class="row"><button>\(texts[.confirmButton])</button></div>
      </form>
      """,
      in: texts
    )
  }

  /// Creates the page for a subscriber, after the confirmation or later.
  func subscribed(_ title: PageText, in texts: Texts) -> Response {
    let intro = texts[.confirmDoneIntro, list: profile.name]
    return secret(texts[title], "<p role=\"status\">\(intro)</p>\(siteLink(in: texts))", in: texts)
  }

  /// Creates and counts the page of an expired link, with the button for a new one.
  func expired(renewingAt path: String, in texts: Texts) -> Response {
    secret(
      texts[.confirmExpired],
      """
      <p>\(texts[.confirmExpiredIntro])</p>
      <form method="post" action="\(path)">
      <div class="row"><button>\(texts[.confirmRenew])</button></div>
      </form>
      """,
      in: texts, because: .tokenExpired
    )
  }

  /// Creates the page after a request for a new link, which is the same in every case.
  func renewed(in texts: Texts) -> Response {
    secret(texts[.confirmTitle], "<p role=\"status\">\(texts[.confirmRenewed])</p>", in: texts)
  }

  // MARK: Leaving

  /// Creates the page with the button that removes the person from the list.
  func leaving(in texts: Texts) -> Response {
    secret(
      texts[.leaveTitle],
      """
      <p>\(texts[.leaveIntro, list: profile.name])</p>
      <form method="post">
      <div class="row"><button>\(texts[.leaveButton])</button></div>
      </form>
      """,
      in: texts
    )
  }

  /// Creates the page for a person who is not on the list, which is the same in every state.
  func left(in texts: Texts) -> Response {
    secret(
      texts[.leaveDone, list: profile.name],
      """
      <p role="status">\(texts[.leaveDoneIntro])</p>
      <form action="/">
      <div class="row"><button>\(texts[.leaveBack])</button></div>
      </form>\(siteLink(in: texts))
      """,
      in: texts
    )
  }

  private func secret(
    _ title: String, _ rest: HTMLText, in texts: Texts, because problem: ProblemDetails? = nil
  ) -> Response {
    response(title, "<h1>\(title)</h1>\n\(rest)", in: texts, because: problem, as: .secret)
  }
}
