internal import HTTPSignals
internal import HTTPTypes

/// The parts that all pages share: the HTML head, and the header fields that isolate a page.
struct PageFrame: Sendable {
  /// The sites to which a form may redirect; browsers apply `form-action` to redirects, too.
  let formTargets: [String]

  /// Makes a response with a page.
  ///
  /// - Parameters:
  ///   - title: The title of the page.
  ///   - body: The contents of the page.
  ///   - texts: The language of the page.
  ///   - status: The status of the response.
  /// - Returns: The response, which caches must not store.
  func response(
    _ title: String,
    _ body: HTMLText,
    in texts: Texts,
    status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(status: status, fields: fields, body: .bytes(bytes(title, body, in: texts)))
  }

  /// Renders a page as UTF-8.
  func bytes(_ title: String, _ body: HTMLText, in texts: Texts) -> [UInt8] {
    let page: HTMLText = """
      <!doctype html>
      <html lang="\(texts.language)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <link rel="icon" href="/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/page.css">
      <script src="/embed.js" defer></script>
      </head>
      <body>
      <main>
      \(body)
      </main>
      </body>
      </html>

      """
    return Array(page.text.utf8)
  }

  /// The header fields of a page that is made for one visitor.
  var fields: FieldList {
    var fields = policyFields
    fields[.contentType] = Self.mediaType
    fields[.cacheControl] = "no-store"
    fields[.xRobotsTag] = "noindex"
    return fields
  }

  static let mediaType = "text/html; charset=utf-8"

  /// The content security policy (CSP Level 3): only the service's own scripts, styles and images,
  /// no frames, and no other sites.
  var contentSecurityPolicy: String {
    """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action \((["'self'"] + formTargets).joined(separator: " ")); \
    base-uri 'none'; frame-ancestors 'none'
    """
  }

  /// The header fields of every page.
  var policyFields: FieldList {
    var fields = FieldList()
    fields[.contentSecurityPolicy] = contentSecurityPolicy
    fields[.referrerPolicy] = "same-origin"
    fields[.vary] = "Accept, Accept-Language"
    return fields
  }
}
