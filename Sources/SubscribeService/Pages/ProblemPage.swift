internal import HTTPSignals
internal import HTTPTypes

/// What a problem type means and what to do, and a problem as a page for those who read pages.
struct ProblemPage: Sendable {
  let frame: PageFrame

  /// The last parts of the types that are explained, as in `/problems/not-found`.
  static let names = Texts.keys.compactMap { key in
    key.hasPrefix("problem.") && key != "problem.title" ? String(key.dropFirst(8)) : nil
  }

  /// The help page of a type; `nil` when there is no such type.
  func help(on name: String, in texts: Texts) -> Response? {
    guard Self.names.contains(name) else { return nil }
    let key = "problem.\(name)"
    let text: HTMLText =
      texts.has(key) ? "<p>\(texts[key])</p>" : "<p lang=\"en\">\(texts[key])</p>"
    var response = frame.response(name, page(name, text, texts), in: texts)
    response.fields[.cacheControl] = "public, max-age=300"
    return response
  }

  /// A problem as a page, with the status and the header fields that it has as JSON.
  func response(to problem: ProblemDetails, in texts: Texts) -> Response {
    let key = "problem.\(problem.name)"
    let text: HTMLText =
      texts.has(key) ? "<p>\(texts[key])</p>" : "<p lang=\"en\">\(problem.detail)</p>"
    var response = frame.response(
      texts["problem.title"],
      page(texts["problem.title"], text, texts),
      in: texts,
      status: problem.status
    )
    for field in problem.fields { response.fields[field.name] = field.value }
    return response
  }

  private func page(_ title: String, _ text: HTMLText, _ texts: Texts) -> HTMLText {
    """
    <h1>\(title)</h1>
    \(text)
    <p><a href="/">\(texts["page.back"])</a></p>
    """
  }
}
