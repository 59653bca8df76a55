internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The parts that all pages share: the HTML head, the list's name and links, and the header fields
/// that isolate a page.
struct PageFrame: Sendable {
  /// The permissions of a page, and the secrecy of its URL.
  enum Kind: Sendable {
    /// The sign-up page, which has the script, and whose heading is the name of the list.
    case home
    /// A page with the script.
    case live
    /// A page whose URL is a secret: it has no script, and its links do not reveal the URL.
    case secret
  }

  /// The content security policy (CSP Level 3): only the service's own scripts, styles and images,
  /// no frames, and no other sites.
  let contentSecurityPolicy: String
  /// The policy of a page without a script.
  private let secretPolicy: String
  let profile: ListProfile
  let publicOrigin: WebOrigin?
  /// The logo, which says nothing that the name beside it does not.
  private let logo: HTMLText
  private let footer: [String: HTMLText]
  private let sharing: HTMLText

  /// Empty for a list without a name.
  var listName: String { profile.name }

  /// Creates the frame of the pages of a list.
  ///
  /// `formTargets` are the sites to which a form may redirect; browsers also apply `form-action` to
  /// redirects.
  init(
    formTargets: [String], profile: ListProfile = ListProfile(), publicOrigin: WebOrigin? = nil,
    texts: TextCatalog = .builtIn
  ) {
    self.profile = profile
    self.publicOrigin = publicOrigin
    logo = profile.logo == nil ? "" : "<img src=\"/logo\" alt=\"\" height=\"48\">"
    footer = Dictionary(
      uniqueKeysWithValues: texts.all.map { ($0.language, Self.footer(profile, in: $0)) })
    sharing = Self.sharing(profile, publicOrigin)
    let formPolicy = """
      form-action \((["'self'"] + formTargets).joined(separator: " ")); \
      base-uri 'none'; frame-ancestors 'none'
      """
    contentSecurityPolicy = """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
      connect-src 'self'; \(formPolicy)
      """
    secretPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; \(formPolicy)"
  }

  private static func footer(_ profile: ListProfile, in texts: Texts) -> HTMLText {
    let links = [(profile.privacyURL, PageText.privacy), (profile.imprintURL, .imprint)]
      .compactMap { url, text -> HTMLText? in
        url.map { "<a href=\"\($0)\">\(texts[text])</a>\n" }
      }
    return links.isEmpty ? "" : "<footer>\n\(HTMLText(links))</footer>\n"
  }

  /// The description for other sites that show a link to the sign-up page (Open Graph).
  private static func sharing(_ profile: ListProfile, _ origin: WebOrigin?) -> HTMLText {
    var fields: [(String, String)] = []
    if !profile.name.isEmpty { fields.append(("og:title", profile.name)) }
    if let text = profile.description { fields.append(("og:description", text)) }
    guard !fields.isEmpty else { return "" }
    fields.append(("og:type", "website"))
    if let origin {
      fields.append(("og:url", "\(origin)/"))
      // Other sites do not show SVG.
      if profile.logo?.format == .png { fields.append(("og:image", "\(origin)/logo")) }
    }
    let description: HTMLText =
      profile.description.map { "\n<meta name=\"description\" content=\"\($0)\">" } ?? ""
    return HTMLText([description] + fields.map { "\n<meta property=\"\($0)\" content=\"\($1)\">" })
  }

  /// Creates a response with a page, which caches must not store.
  func response(
    _ title: String, _ body: HTMLText, in texts: Texts, status: HTTPResponse.Status = .ok,
    as kind: Kind = .live
  ) -> Response {
    let bytes = bytes(title, body, in: texts, as: kind)
    return Response(status: status, fields: fields(of: kind), body: .bytes(bytes))
  }

  /// Renders a page in UTF-8.
  func bytes(_ title: String, _ body: HTMLText, in texts: Texts, as kind: Kind = .live) -> [UInt8] {
    let script: HTMLText =
      switch kind {
      case .home, .live: "\n<script src=\"/embed.js\" defer></script>"
      case .secret: ""
      }
    let (header, sharing): (HTMLText, HTMLText) =
      switch kind {
      case .home: (profile.logo == nil ? "" : "<header>\(logo)</header>\n", sharing)
      case .live, .secret:
        (listName.isEmpty ? "" : "<header>\(logo)\(name(linkingTo: "/"))</header>\n", "")
      }
    let direction: HTMLText = texts.language.isRightToLeft ? " dir=\"rtl\"" : ""
    let page: HTMLText = """
      <!doctype html>
      <html lang="\(texts.language)"\(direction)>
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(listName.isEmpty ? title : "\(title) · \(listName)")</title>\(sharing)
      <link rel="icon" href="/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/page.css">\(script)
      </head>
      <body>
      \(header)<main>
      \(body)
      </main>
      \(footer[texts.language] ?? "")</body>
      </html>

      """
    return Array(page.text.utf8)
  }

  /// The name of the list as a link to its site.
  ///
  /// - Parameter home: The target for a list without a site; `nil` for no link.
  func name(linkingTo home: String?) -> HTMLText {
    guard let url = profile.siteURL ?? home else { return "\(listName)" }
    return "<a href=\"\(url)\">\(listName)</a>"
  }

  /// The link to the site of the list; empty without one.
  func siteLink(in texts: Texts) -> HTMLText {
    guard let url = profile.siteURL else { return "" }
    return "\n<p><a href=\"\(url)\">\(texts[.site, list: listName])</a></p>"
  }

  /// The header fields of a page for one visitor.
  private func fields(of kind: Kind) -> FieldList {
    var fields = policyFields(of: kind)
    fields[.contentType] = Self.mediaType
    // Some proxies rewrite the addresses in a page.
    fields[.cacheControl] = "no-store, no-transform"
    fields[.xRobotsTag] = "noindex"
    return fields
  }

  static let mediaType = "text/html; charset=utf-8"

  /// The header fields of every page.
  func policyFields(of kind: Kind) -> FieldList {
    var fields = FieldList()
    switch kind {
    case .home, .live:
      fields[.contentSecurityPolicy] = contentSecurityPolicy
      fields[.referrerPolicy] = "same-origin"
    case .secret:
      fields[.contentSecurityPolicy] = secretPolicy
      fields[.referrerPolicy] = "no-referrer"
    }
    fields[.vary] = "Accept, Accept-Language"
    return fields
  }
}
