internal import HTTPSignals
internal import HTTPTypes

/// The help page of a problem type for people who write programs, and a problem as a page for
/// visitors.
extension Pages {
  /// Creates the help page of a problem type; `nil` for an unknown type.
  func help(on name: String, in texts: Texts) -> Response? {
    guard let help = texts.help(on: name) else { return nil }
    let text: HTMLText =
      help.isOwn ? "<p>\(help.text)</p>" : "<p lang=\"en\">\(help.text)</p>"
    let body: HTMLText = """
      <h1>\(name)</h1>
      \(text)
      <p><a href="/">\(texts[.back])</a></p>
      """
    var response = response(name, body, in: texts)
    response.fields[.cacheControl] = "public, max-age=300, no-transform"
    return response
  }

  /// Creates and counts a page for a problem, with the same status and header fields as its JSON
  /// response.
  ///
  /// - Parameter request: The request with the problem; `nil` if none has arrived.
  func page(
    for problem: ProblemDetails, of request: Request? = nil, in texts: Texts, as kind: Kind = .live
  ) -> Response {
    let (title, text, way) = content(of: problem, request, in: texts)
    let paragraph: HTMLText = way.map { "<p>\($0)</p>" } ?? ""
    let body: HTMLText = """
      <h1>\(title)</h1>
      <p>\(text)</p>
      \(paragraph)
      """
    return response(title, body, in: texts, because: problem, as: kind)
  }

  /// Returns what a visitor reads, and the way on if there is one.
  private func content(
    of problem: ProblemDetails, _ request: Request?, in texts: Texts
  ) -> (title: String, text: String, way: HTMLText?) {
    let form: HTMLText = "<a href=\"/\">\(texts[.back])</a>"
    // The same page, with GET.
    let again: HTMLText = "<a href=\"\">\(texts[.again])</a>"
    switch problem.status {
    case .notFound: return (texts[VisitorText.missingTitle], texts[VisitorText.missing], form)
    case .conflict, .requestTimeout, .tooManyRequests, .serviceUnavailable:
      return (texts[VisitorText.waitTitle], texts[VisitorText.wait], again)
    case .misdirectedRequest:
      // No link to the address at which the visitor may already be.
      if let publicOrigin, request?.mayBeChanged(from: publicOrigin) ?? false {
        return (texts[.problem], texts[VisitorText.elsewhere], nil)
      }
      let url = "\(publicOrigin?.description ?? "")/"
      return (texts[.problem], texts[VisitorText.elsewhere], "<a href=\"\(url)\">\(url)</a>")
    case .forbidden: return (texts[.problem], texts[VisitorText.otherSite], form)
    case .gone: return (texts[.confirmExpired], texts[problem.text], form)
    case .internalServerError: return (texts[.problem], texts[VisitorText.failed], again)
    case .unprocessableContent: return (texts[.problem], texts[problem.text], form)
    case .badRequest
    where [MalformedBody.damagedField, .fieldName].contains { $0.key == problem.text.key }:
      // For the owner, whom a visitor may tell.
      let reason: HTMLText = "<span lang=\"en\">\(texts[problem.text])</span>"
      return (texts[.problem], texts[VisitorText.unreadable], "\(reason) \(form)")
    default: return (texts[.problem], texts[VisitorText.unreadable], form)
    }
  }
}
