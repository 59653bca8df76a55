internal import HTTPSignals
internal import HTTPTypes

/// Which sites may use the service from their pages, and what browsers are told about it.
///
/// The protocol is CORS (Fetch Standard §3.3), without credentials.
final class OriginPolicy: Sendable {
  let allowed: AllowedOrigins
  /// Where the service itself is reached, if that is known.
  let publicOrigin: WebOrigin?

  init(allowed: AllowedOrigins, publicOrigin: WebOrigin?) {
    self.allowed = allowed
    self.publicOrigin = publicOrigin
  }

  /// Whether a post may be taken: from the service's own pages, from an allowed site, and from
  /// whoever is no page at all.
  func permits(_ request: Request) -> Bool {
    guard let origin = request.fields.first("origin") else { return true }
    // Also from a page without referrer, whose origin is `null`.
    if request.fields.first("sec-fetch-site") == "same-origin" { return true }
    guard let origin = WebOrigin(origin) else { return false }
    return origin == publicOrigin || allowed.contains(origin) || isOwn(origin, request)
  }

  /// Whether a page may be sent to a URL after its form was.
  func permitsRedirect(to url: String) -> Bool {
    WebOrigin(ofURL: url).map(allowed.contains) ?? false
  }

  /// The scheme is not compared: a proxy in front may end TLS.
  private func isOwn(_ origin: WebOrigin, _ request: Request) -> Bool {
    // Where the host is known, a page that reaches the service by another name is not its own, though
    // a proxy may use that name, too.
    let host = publicOrigin == nil ? request.fields.first("host") : request.requestedHost
    guard let host,
      let own = WebOrigin.hostAndPort(host, origin.scheme)
    else { return false }
    return own.host == origin.host && own.port == origin.port
  }

  /// Adds what tells a browser which site may read an answer.
  func finish(_ response: inout Response, to request: Request) {
    guard Self.isShared(request.path) else { return }
    Self.addOrigin(toVaryOf: &response.fields)
    if let origin = allowedOrigin(of: request) {
      response.fields[.accessControlAllowOrigin] = origin
      response.fields[.accessControlExposeHeaders] = "location, link, retry-after"
    }
  }

  /// Answers the question of a browser whether a site may ask (Fetch Standard §3.3.6), and of
  /// others what may be asked (RFC 9110 §9.3.7).
  ///
  /// - Parameters:
  ///   - exchange: The question.
  ///   - method: What the path answers.
  func respondToOptions(_ exchange: Exchange, of method: HTTPRequest.Method) {
    var response = Response(status: .noContent)
    guard exchange.request.fields.first("origin") != nil else {
      response.fields[.allow] = method == .get ? "GET, HEAD, OPTIONS" : "\(method), OPTIONS"
      exchange.respond(response)
      return
    }
    guard allowedOrigin(of: exchange.request) != nil else {
      exchange.respond(.originNotAllowed)
      return
    }
    response.fields[.accessControlAllowMethods] = "GET, HEAD, POST"
    response.fields[.accessControlAllowHeaders] =
      "content-type, prefer, last-event-id, idempotency-key"
    response.fields[.accessControlMaxAge] = "7200"
    exchange.respond(response)
  }

  private func allowedOrigin(of request: Request) -> String? {
    guard let text = request.fields.first("origin"), let origin = WebOrigin(text),
      allowed.contains(origin)
    else { return nil }
    return text
  }

  private static let varyOrigin = HTTPField(name: .vary, value: "Origin")

  /// What other sites may use.
  private static func addOrigin(toVaryOf fields: inout HTTPFields) {
    guard let index = fields.firstIndex(where: { $0.name == .vary }) else {
      fields.append(Self.varyOrigin)
      return
    }
    // Some say so by themselves.
    if !fields[index].value.hasSuffix("Origin") { fields[index].value += ", Origin" }
  }

  private static func isShared(_ path: String) -> Bool {
    path == "/subscribers" || path == "/email-checks" || path == "/status"
      || path.hasPrefix("/executions/")
  }
}
