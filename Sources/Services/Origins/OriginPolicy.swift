internal import HTTPSignals
internal import HTTPTypes
internal import Signals
internal import Logging
internal import Synchronization

/// The policy for requests for other hosts, and from pages of other sites.
///
/// The latter is CORS (Fetch Standard §3.3), without credentials.
final class OriginPolicy: Sendable {
  /// What is logged only once.
  private enum Warning: UInt8 {
    case proxy = 1
    case unknownClient = 2
    case unnamedClients = 4
    case host = 8
    case encoding = 16
    case nullOrigin = 32
  }

  private let allowed: AllowedOrigins
  /// The public origin of the service, if it is known.
  private let publicOrigin: WebOrigin?
  /// The `Host` of nearly all requests, which is compared first: parsing it took 2% of the event
  /// loop's time for a sign-up.
  private let usualHost: String?
  private let everyHost = SignUpService.paths(for: .everyHost)
  private let sharedPaths = SignUpService.paths(for: .allowedOrigins)
  private let openPaths = SignUpService.paths(for: .everySite)
  private let logger: Logger
  private let logged: Atomic<UInt8>
  /// The origins in the log.
  private let reported = Lock<Set<WebOrigin>>([])
  /// The maximum number of origins in the log; programs can invent any number.
  private static let maximumReportCount = 32

  /// Creates a policy whose logger reports origins that are not allowed, and errors in the
  /// configuration of a proxy, each of them once.
  init(allowed: AllowedOrigins, publicOrigin: WebOrigin?, logger: Logger) {
    self.allowed = allowed
    self.publicOrigin = publicOrigin
    usualHost = publicOrigin?.authority
    self.logger = logger
    // A service that only its machine can reach is tried there, without a proxy.
    logged = Atomic(publicOrigin?.isLoopback ?? true ? Warning.unnamedClients.rawValue : 0)
  }

  private func hasLogged(_ warning: Warning) -> Bool {
    logged.load(ordering: .relaxed) & warning.rawValue != 0
  }

  private func warnOnce(_ warning: Warning, _ text: @autoclosure () -> Logger.Message) {
    guard !hasLogged(warning) else { return }
    let (before, _) = logged.bitwiseOr(warning.rawValue, ordering: .relaxed)
    if before & warning.rawValue == 0 { logger.warning(text()) }
  }

  // MARK: Hosts

  /// Checks whether a request is for this service, and whether to route it.
  ///
  /// If not, the policy has already responded.
  func admits(_ exchange: Exchange) -> Bool {
    let request = exchange.request
    let source = request.source
    if source.peer == .untrustedProxy {
      // Without its address, which may be a client's, and the operator knows the proxy.
      warnOnce(
        .proxy,
        """
        a proxy in a local network sends Forwarded or X-Forwarded-For but is not trusted, so its \
        clients cannot be distinguished and are not limited; add its address to --trusted-proxies
        """
      )
    }
    if source.peer == .trusted, source.client == .unknown {
      warnOnce(
        .unknownClient,
        """
        Forwarded or X-Forwarded-For of a trusted proxy names no address, or they contradict each \
        other: such clients share one limit; let the proxy set one of them, and remove the other
        """
      )
    }
    guard let publicOrigin, !everyHost.contains(request.path) else { return true }
    guard request.requestedHost == usualHost || request.isFor(publicOrigin) else {
      reportHost(of: request, publicOrigin)
      exchange.respond(.misdirectedRequest)
      return false
    }
    if source.peer == .trusted, !hasLogged(.unnamedClients), !request.isClientNamed {
      let effect = source.limitedClient == nil ? "are not limited" : "share one limit"
      warnOnce(
        .unnamedClients,
        """
        requests for \(publicOrigin.authority) come from a trusted proxy without X-Forwarded-For \
        or Forwarded: clients \(effect)
        """
      )
    }
    return true
  }

  /// Warns once about a proxy that replaces the host.
  ///
  /// Through a proxy, strangers request any host: only one that the internet does not have, and the
  /// public one with another port, are those of a proxy.
  private func reportHost(of request: Request, _ publicOrigin: WebOrigin) {
    guard !hasLogged(.host), !publicOrigin.isLoopback, request.mayBeChanged(from: publicOrigin),
      let requested = request.requestedOrigin(publicOrigin.scheme),
      requested.isLocal || requested.host == publicOrigin.host
    else { return }
    warnOnce(
      .host,
      """
      a request for \(requested.authority) gets 421, --public-url is \(publicOrigin.authority): \
      let the proxy pass Host
      """
    )
  }

  /// Warns once about a form that is not sent in UTF-8.
  func reportEncoding() {
    warnOnce(
      .encoding,
      """
      a form is rejected because its text is not UTF-8: a page in another encoding needs \
      accept-charset="utf-8" in its form
      """
    )
  }

  // MARK: Origins

  /// Checks whether a POST is permitted: from the service's own pages, from allowed sites, and from
  /// clients that are not browsers.
  func check(_ request: Request) throws(ProblemDetails) {
    guard let text = request.fields.first(.origin), !permits(request, from: text) else { return }
    throw rejection(of: text)
  }

  private func rejection(of text: String) -> ProblemDetails {
    if let origin = WebOrigin(text) {
      report(origin)
    } else if text == "null" {
      // The browser does not say which site the page belongs to.
      warnOnce(
        .nullOrigin,
        """
        a form of a page without an origin gets 403: its Referrer-Policy is no-referrer or \
        same-origin, it is in a sandbox, or it has https and the service has not; see Embedding
        """
      )
    }
    return .originNotAllowed
  }

  /// Logs an origin, which is not personal data: it identifies a site, but neither a page nor a
  /// client.
  private func report(_ origin: WebOrigin) {
    let isNew = reported.withLock { reported in
      reported.count < Self.maximumReportCount && reported.insert(origin).inserted
    }
    guard isNew else { return }
    logger.warning(
      "pages of \(origin) are not allowed; if the site is yours, add it to --allowed-origins")
  }

  private func permits(_ request: Request, from text: String) -> Bool {
    // This includes pages without a referrer, whose origin is `null`.
    if request.fields.first(.secFetchSite) == "same-origin" { return true }
    guard let origin = WebOrigin(text) else { return false }
    return origin == publicOrigin || allowed.contains(origin) || isOwn(origin, request)
  }

  /// Returns whether a form may redirect to a URL.
  func permitsRedirect(to url: String) -> Bool {
    WebOrigin(ofURL: url).map(allowed.contains) ?? false
  }

  /// Returns whether an origin is that of the requested host.
  ///
  /// The scheme is not compared: a proxy in front may terminate TLS.
  private func isOwn(_ origin: WebOrigin, _ request: Request) -> Bool {
    // If the public origin is known, a page that uses another name of the service is not its own,
    // even if a proxy uses that name as well.
    let host = publicOrigin == nil ? request.fields.first(.hostField) : request.requestedHost
    guard let host, let own = WebOrigin.hostAndPort(host, origin.scheme) else { return false }
    return own.host == origin.host && own.port == origin.port
  }

  /// Adds the CORS header fields that let an allowed site read a response, and every site the files
  /// of a form, also where it isolates its pages.
  func finish(_ response: inout Response, to request: Request) {
    if openPaths.contains(request.path) {
      response.fields.append(.accessControlAllowOrigin, "*")
      response.fields.append(.crossOriginResourcePolicy, "cross-origin")
    }
    guard sharedPaths.contains(request.path) else { return }
    Self.addOrigin(toVaryOf: &response.fields)
    if let origin = allowedOrigin(of: request) {
      response.fields.append(.accessControlAllowOrigin, origin)
      response.fields.append(.accessControlExposeHeaders, "location, link, retry-after")
    }
  }

  /// Responds to a preflight request of a browser (Fetch Standard §3.3.6), or to another client's
  /// OPTIONS request (RFC 9110 §9.3.7).
  func respondToOptions(
    _ exchange: Exchange, of route: ServiceRoute
  ) throws(ProblemDetails) {
    var response = Response(status: .noContent)
    guard let text = exchange.request.fields.first(.origin) else {
      response.fields[.allow] =
        route.method == .get ? "GET, HEAD, OPTIONS" : "\(route.method), OPTIONS"
      exchange.respond(response)
      return
    }
    guard route.access == .everySite || allowedOrigin(of: exchange.request) != nil else {
      throw rejection(of: text)
    }
    response.fields[.accessControlAllowMethods] = "GET, HEAD, POST"
    // Pages add any, for instance to trace requests. Safari before 15.4 does not know the asterisk.
    response.fields[.accessControlAllowHeaders] =
      "content-type, prefer, last-event-id, idempotency-key, *"
    response.fields[.accessControlMaxAge] = "7200"
    exchange.respond(response)
  }

  private func allowedOrigin(of request: Request) -> String? {
    guard let text = request.fields.first(.origin), let origin = WebOrigin(text),
      allowed.contains(origin)
    else { return nil }
    return text
  }

  /// Adds `Origin` to the `Vary` field.
  private static func addOrigin(toVaryOf fields: inout FieldList) {
    guard let others = fields.first(.vary) else { return fields.append(.vary, "Origin") }
    // Some responses already contain it.
    if !fields.list(.vary, contains: "origin") { fields[.vary] = others + ", Origin" }
  }
}
