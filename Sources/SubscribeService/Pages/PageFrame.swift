internal import HTTPSignals
internal import HTTPTypes

/// The parts that all pages share: the HTML head, and the header fields that isolate a page.
struct PageFrame: Sendable {
  /// The permissions of a page, and the secrecy of its URL.
  enum Kind: Sendable {
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
  /// Empty for a list without a name.
  let listName: String

  /// Creates the frame of the pages of a list, whose name may be empty.
  ///
  /// `formTargets` are the sites to which a form may redirect; browsers also apply `form-action` to
  /// redirects.
  init(formTargets: [String], listName: String = "") {
    self.listName = listName
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

  /// Creates a response with a page, which caches must not store.
  func response(
    _ title: String,
    _ body: HTMLText,
    in texts: Texts,
    status: HTTPResponse.Status = .ok,
    as kind: Kind = .live
  ) -> Response {
    let bytes = bytes(title, body, in: texts, as: kind)
    return Response(status: status, fields: fields(of: kind), body: .bytes(bytes))
  }

  /// Renders a page in UTF-8.
  func bytes(
    _ title: String,
    _ body: HTMLText,
    in texts: Texts,
    as kind: Kind = .live
  ) -> [UInt8] {
    let script: HTMLText =
      switch kind {
      case .live: "\n<script src=\"/embed.js\" defer></script>"
      case .secret: ""
      }
    let name: HTMLText = listName.isEmpty ? "" : "<header>\(listName)</header>\n"
    let page: HTMLText = """
      <!doctype html>
      <html lang="\(texts.language)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(listName.isEmpty ? title : "\(title) · \(listName)")</title>
      <link rel="icon" href="/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/page.css">\(script)
      </head>
      <body>
      \(name)<main>
      \(body)
      </main>
      </body>
      </html>

      """
    return Array(page.text.utf8)
  }

  /// The header fields of a page for one visitor.
  private func fields(of kind: Kind) -> FieldList {
    var fields = policyFields(of: kind)
    fields[.contentType] = Self.mediaType
    fields[.cacheControl] = "no-store"
    fields[.xRobotsTag] = "noindex"
    return fields
  }

  static let mediaType = "text/html; charset=utf-8"

  /// The header fields of every page.
  func policyFields(of kind: Kind) -> FieldList {
    var fields = FieldList()
    switch kind {
    case .live:
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
