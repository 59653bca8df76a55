internal import HTTPSignals
internal import HTTPTypes

/// The help page of a problem type, and a problem as a page for clients that prefer HTML.
struct ProblemPage: Sendable {
  let frame: PageFrame

  /// Creates the help page of a problem type; `nil` for an unknown type.
  func help(on name: String, in texts: Texts) -> Response? {
    guard let help = texts.help(on: name) else { return nil }
    let text: HTMLText =
      help.isOwn ? "<p>\(help.text)</p>" : "<p lang=\"en\">\(help.text)</p>"
    var response = frame.response(name, page(name, text, texts), in: texts)
    response.fields[.cacheControl] = "public, max-age=300"
    return response
  }

  /// Creates a page for a problem, with the same status and header fields as its JSON response.
  func response(
    to problem: ProblemDetails,
    in texts: Texts,
    as kind: PageFrame.Kind = .live
  ) -> Response {
    // Without help in the language, the text of the problem itself is more exact.
    let help = texts.help(on: problem.name).flatMap { $0.isOwn ? $0.text : nil }
    let text: HTMLText =
      help.map { "<p>\($0)</p>" } ?? "<p lang=\"en\">\(Texts.english[problem.text])</p>"
    var response = frame.response(
      texts[.problem],
      page(texts[.problem], text, texts),
      in: texts,
      status: problem.status,
      as: kind
    )
    response.fields.append(contentsOf: problem.fields)
    return response
  }

  private func page(_ title: String, _ text: HTMLText, _ texts: Texts) -> HTMLText {
    """
    <h1>\(title)</h1>
    \(text)
    <p><a href="/">\(texts[.back])</a></p>
    """
  }
}
