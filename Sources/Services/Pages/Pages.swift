internal import HTTPSignals
internal import HTTPTypes
package import MailingList

/// The pages that browsers show: the parts that all of them share, and the header fields that
/// isolate a page.
final class Pages: Sendable {
  /// The permissions of a page, and the secrecy of its URL.
  enum Kind: Sendable {
    /// The sign-up page, which has the script, and whose heading is the name of the list.
    case home
    /// A page with the script.
    case live
    /// A page whose URL is a secret: it has no script, and its links do not reveal the URL.
    case secret
  }

  let profile: ListProfile
  let texts: TextCatalog
  let nextStep: NextStep
  let publicOrigin: WebOrigin?
  /// The paths that responses never repeat.
  private let credentialPaths: PathSet
  private let metrics: ProblemMetrics
  private let policies: (live: String, secret: String)

  /// - Parameter formTargets: The sites to which a form may redirect.
  init(
    _ profile: ListProfile, nextStep: NextStep, formTargets: [String], publicOrigin: WebOrigin?,
    credentialPaths: PathSet, metrics: ProblemMetrics
  ) {
    self.profile = profile
    texts = profile.texts.isEmpty ? .builtIn : TextCatalog(profile.texts)
    self.nextStep = nextStep
    self.publicOrigin = publicOrigin
    self.credentialPaths = credentialPaths
    self.metrics = metrics
    policies = Self.policies(formTargets: formTargets)
  }

  /// Returns the content security policies (CSP Level 3) of pages with a script and without: only
  /// the service's own scripts, styles and images, no frames, and no other sites.
  ///
  /// Browsers also apply `form-action` to redirects.
  static func policies(formTargets: [String]) -> (live: String, secret: String) {
    let forms = """
      form-action \((["'self'"] + formTargets).joined(separator: " ")); \
      base-uri 'none'; frame-ancestors 'none'
      """
    let live = """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
      connect-src 'self'; \(forms)
      """
    return (live, "default-src 'none'; style-src 'self'; img-src 'self'; \(forms)")
  }

  /// Creates a response with a page, which caches must not store; a problem is counted, and its
  /// status and header fields are those of the response.
  func response(
    _ title: String, _ body: HTMLText, in texts: Texts, because problem: ProblemDetails? = nil,
    as kind: Kind = .live
  ) -> Response {
    if let problem { metrics.count(problem) }
    var fields = policyFields(of: kind)
    fields[.contentType] = Self.mediaType
    // Some proxies rewrite the addresses in a page.
    fields[.cacheControl] = "no-store, no-transform"
    fields[.xRobotsTag] = "noindex"
    if let problem { fields.append(contentsOf: problem.fields) }
    return Response(
      status: problem?.status ?? .ok, fields: fields,
      body: .bytes(bytes(title, body, in: texts, as: kind)))
  }

  static let mediaType = "text/html; charset=utf-8"

  /// The header fields of every page.
  func policyFields(of kind: Kind) -> FieldList {
    var fields = FieldList()
    switch kind {
    case .home, .live:
      fields[.contentSecurityPolicy] = policies.live
      fields[.referrerPolicy] = "same-origin"
    case .secret:
      fields[.contentSecurityPolicy] = policies.secret
      fields[.referrerPolicy] = "no-referrer"
    }
    fields[.vary] = "Accept, Accept-Language"
    return fields
  }

  /// Renders a page in UTF-8.
  func bytes(_ title: String, _ body: HTMLText, in texts: Texts, as kind: Kind) -> [UInt8] {
    // The logo says nothing that the name beside it does not.
    let logo: HTMLText = profile.logo == nil ? "" : "<img src=\"/logo\" alt=\"\" height=\"48\">"
    let header: HTMLText =
      switch kind {
      case .home: profile.logo == nil ? "" : "<header>\(logo)</header>\n"
      case .live, .secret:
        profile.name.isEmpty ? "" : "<header>\(logo)\(name(linkingTo: "/"))</header>\n"
      }
    let sharing: HTMLText = kind == .home ? self.sharing : ""
    let script: HTMLText = kind == .secret ? "" : "\n<script src=\"/embed.js\" defer></script>"
    let direction: HTMLText = texts.language.isRightToLeft ? " dir=\"rtl\"" : ""
    let page: HTMLText = """
      <!doctype html>
      <html lang="\(texts.language)"\(direction)>
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(profile.name.isEmpty ? title : "\(title) · \(profile.name)")</title>\(sharing)
      <link rel="icon" href="/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/page.css">\(script)
      </head>
      <body>
      \(header)<main>
      \(body)
      </main>
      \(footer(in: texts))</body>
      </html>

      """
    return Array(page.text.utf8)
  }

  private func footer(in texts: Texts) -> HTMLText {
    let links = [(profile.privacyURL, PageText.privacy), (profile.imprintURL, .imprint)]
      .compactMap { url, text -> HTMLText? in
        url.map { "<a href=\"\($0)\">\(texts[text])</a>\n" }
      }
    return links.isEmpty ? "" : "<footer>\n\(HTMLText(links))</footer>\n"
  }

  /// The description for other sites that show a link to the sign-up page (Open Graph).
  private var sharing: HTMLText {
    var fields: [(String, String)] = []
    if !profile.name.isEmpty { fields.append(("og:title", profile.name)) }
    if let text = profile.description { fields.append(("og:description", text)) }
    guard !fields.isEmpty else { return "" }
    fields.append(("og:type", "website"))
    if let publicOrigin {
      fields.append(("og:url", "\(publicOrigin)/"))
      // Other sites do not show SVG.
      if profile.logo?.format == .png { fields.append(("og:image", "\(publicOrigin)/logo")) }
    }
    let description: HTMLText =
      profile.description.map { "\n<meta name=\"description\" content=\"\($0)\">" } ?? ""
    return HTMLText([description] + fields.map { "\n<meta property=\"\($0)\" content=\"\($1)\">" })
  }

  /// The name of the list as a link to its site.
  ///
  /// - Parameter home: The target for a list without a site; `nil` for no link.
  func name(linkingTo home: String?) -> HTMLText {
    guard let url = profile.siteURL ?? home else { return "\(profile.name)" }
    return "<a href=\"\(url)\">\(profile.name)</a>"
  }

  /// The link to the site of the list; empty without one.
  func siteLink(in texts: Texts) -> HTMLText {
    guard let url = profile.siteURL else { return "" }
    return "\n<p><a href=\"\(url)\">\(texts[.site, list: profile.name])</a></p>"
  }

  /// Creates and counts the response to a problem: in the client's language, and as a page for a
  /// client that prefers HTML.
  ///
  /// The request is `nil` if none has arrived.
  func response(
    for problem: ProblemDetails, to request: Request?, as kind: Kind = .live
  ) -> Response {
    let texts = self.texts.preferred(by: request)
    let isPage = kind == .secret ? request?.prefersHTMLOfLink : request?.prefersHTML
    if isPage == true { return page(for: problem, of: request, in: texts, as: kind) }
    metrics.count(problem)
    return problem.response(
      to: request.flatMap { credentialPaths.contains($0.path) ? nil : $0 },
      title: texts.title(of: problem), detail: texts[problem.text])
  }
}

/// The next step for the owner of an address after a sign-up, as described on pages.
package enum NextStep: String, Sendable {
  /// No step: opt-in is single.
  case none
  /// Pressing the button on the page of the mail's link.
  case link
  /// Pressing that button, or typing the code of the mail.
  case code

  package init(_ optIn: OptIn, sendsCode: Bool) {
    self =
      switch optIn {
      case .single: .none
      case .double: sendsCode ? .code : .link
      }
  }
}

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
