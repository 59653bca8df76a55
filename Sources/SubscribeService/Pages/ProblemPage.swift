internal import HTTPSignals
internal import HTTPTypes

/// The help page of a problem type for people who write programs, and a problem as a page for
/// visitors.
struct ProblemPage: Sendable {
  let frame: PageFrame

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
    var response = frame.response(name, body, in: texts)
    response.fields[.cacheControl] = "public, max-age=300"
    return response
  }

  /// Creates a page for a problem, with the same status and header fields as its JSON response.
  func response(
    to problem: ProblemDetails,
    in texts: Texts,
    as kind: PageFrame.Kind = .live
  ) -> Response {
    let (title, text, way) = content(of: problem, in: texts)
    let body: HTMLText = """
      <h1>\(title)</h1>
      <p>\(text)</p>
      <p>\(way)</p>
      """
    var response = frame.response(title, body, in: texts, status: problem.status, as: kind)
    response.fields.append(contentsOf: problem.fields)
    return response
  }

  /// Returns what a visitor reads, and the way on.
  private func content(
    of problem: ProblemDetails,
    in texts: Texts
  ) -> (title: String, text: String, way: HTMLText) {
    let form: HTMLText = "<a href=\"/\">\(texts[.back])</a>"
    // The same page, with GET.
    let again: HTMLText = "<a href=\"\">\(texts[.again])</a>"
    switch problem.status {
    case .notFound: return (texts[VisitorText.missingTitle], texts[VisitorText.missing], form)
    case .conflict, .requestTimeout, .tooManyRequests, .serviceUnavailable:
      return (texts[VisitorText.waitTitle], texts[VisitorText.wait], again)
    case .misdirectedRequest:
      let url = "\(frame.publicOrigin?.description ?? "")/"
      return (texts[.problem], texts[VisitorText.elsewhere], "<a href=\"\(url)\">\(url)</a>")
    case .forbidden: return (texts[.problem], texts[VisitorText.otherSite], form)
    case .gone: return (texts[.confirmExpired], texts[problem.text], form)
    case .internalServerError: return (texts[.problem], texts[VisitorText.failed], again)
    case .unprocessableContent: return (texts[.problem], texts[problem.text], form)
    default: return (texts[.problem], texts[VisitorText.unreadable], form)
    }
  }
}
