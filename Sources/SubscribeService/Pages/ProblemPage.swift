internal import HTTPSignals
internal import HTTPTypes

/// The help page of a problem type, and a problem as a page for clients that prefer HTML.
struct ProblemPage: Sendable {
  let frame: PageFrame

  /// The names of the problem types that have a help page: `not-found` has `/problems/not-found`.
  static let names = Texts.keys.compactMap { key in
    key.hasPrefix("problem.") && key != "problem.title" ? String(key.dropFirst(8)) : nil
  }

  /// Makes the help page of a problem type; returns `nil` for an unknown type.
  func help(on name: String, in texts: Texts) -> Response? {
    guard Self.names.contains(name) else { return nil }
    let key = "problem.\(name)"
    let text: HTMLText =
      texts.has(key) ? "<p>\(texts[key])</p>" : "<p lang=\"en\">\(texts[key])</p>"
    var response = frame.response(name, page(name, text, texts), in: texts)
    response.fields[.cacheControl] = "public, max-age=300"
    return response
  }

  /// Makes a page for a problem, with the same status and header fields as its JSON response.
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
    response.fields.append(contentsOf: problem.fields)
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
