internal import HTTPSignals
internal import HTTPTypes

/// What every page has: its head, and the header fields that keep it to itself.
struct PageFrame: Sendable {
  /// Sites to which a form of a page may lead on; browsers apply the policy to redirects as well.
  let formTargets: [String]

  /// Makes an answer of a page.
  ///
  /// - Parameters:
  ///   - title: What stands in the title bar.
  ///   - body: What stands on the page.
  ///   - texts: The language of the page.
  ///   - status: The status of the answer.
  /// - Returns: The answer, not to be stored.
  func response(
    _ title: String,
    _ body: HTMLText,
    in texts: Texts,
    status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(status: status, fields: fields, body: .bytes(bytes(title, body, in: texts)))
  }

  /// The page itself.
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

  /// The header fields of a page about a person.
  var fields: HTTPFields {
    var fields = policyFields
    fields[.contentType] = Self.mediaType
    fields[.cacheControl] = "no-store"
    if let name = HTTPField.Name("X-Robots-Tag") { fields[name] = "noindex" }
    return fields
  }

  static let mediaType = "text/html; charset=utf-8"

  /// No script and no style that is not ours, no frame, and no other site (CSP Level 3).
  var contentSecurityPolicy: String {
    """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action \((["'self'"] + formTargets).joined(separator: " ")); \
    base-uri 'none'; frame-ancestors 'none'
    """
  }

  /// The header fields of every page.
  var policyFields: HTTPFields {
    var fields: HTTPFields = [:]
    fields[.contentSecurityPolicy] = contentSecurityPolicy
    if let name = HTTPField.Name("Referrer-Policy") { fields[name] = "same-origin" }
    fields[.vary] = "Accept, Accept-Language"
    return fields
  }
}
