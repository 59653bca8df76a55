internal import CResources
internal import HTTPSignals
internal import HTTPTypes
internal import Platform

/// The pages and clients that may use a route of the service.
enum RouteAccess: Sendable {
  /// The service's own pages, and programs.
  case ownOrigin
  /// Also pages of allowed sites; their browsers may send a preflight (Fetch Standard §3.3).
  case allowedOrigins
  /// The pages of all sites: what their forms load.
  case everySite
  /// Every client that knows the link: the path contains a secret, which pages must not reveal.
  case secretLink
  /// Also supervisors of the process, with any requested host.
  case everyHost
}

/// A route of the service, whose handler is a method of one service.
typealias ServiceRoute = Route<
  RouteAccess,
  @Sendable (SignUpService) -> @Sendable (RoutedExchange) throws(ProblemDetails) -> Void
>

extension ServiceRoute {
  fileprivate init(
    _ method: HTTPRequest.Method, _ pattern: String, for access: RouteAccess = .ownOrigin,
    _ handler: Handler
  ) {
    self.init(method, pattern, for: access, handler: handler)
  }

  /// What the description says about the route because of this table.
  fileprivate var described: Description.Operation {
    var problems = [ServiceProblem.misdirectedRequest]
    var fields: [String] = []
    switch access {
    case .ownOrigin, .secretLink: break
    case .everyHost: problems = []
    case .allowedOrigins:
      if method != .get { problems.append(.originNotAllowed) }
      fields = Description.originFields + ["Vary"]
    case .everySite: fields = ["Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy"]
    }
    return Description.Operation(
      method: method, path: pattern,
      problems: DescribedProblem.general + problems.map { DescribedProblem($0) },
      // The response to OPTIONS has fields of its own.
      fields: method == .options ? [] : fields)
  }

  /// Creates the route of a file that is the same in every service.
  fileprivate init(file path: String, _ asset: Asset, for access: RouteAccess = .ownOrigin) {
    self.init(.get, path, for: access) { _ in
      { $0.exchange.respond(asset.response(to: $0.exchange.request)) }
    }
  }
}

extension SignUpService {
  /// All routes of the service.
  ///
  /// This table determines routing, responses to OPTIONS, the CORS header fields, the health checks
  /// that every host may request, the pages that do not reveal their URL, and the pages' files.
  static let table: [ServiceRoute] = [
    ServiceRoute(.post, "/subscribers", for: .allowedOrigins) { $0.signUp },
    ServiceRoute(.post, "/email-checks", for: .allowedOrigins) { $0.checkEmail },
    ServiceRoute(.get, "/executions/{id}", for: .allowedOrigins) { $0.showExecution },
    ServiceRoute(.get, "/executions/{id}/events", for: .allowedOrigins) { $0.streamExecution },
    ServiceRoute(.post, "/executions/{id}/code", for: .allowedOrigins) { $0.confirmByCode },
    ServiceRoute(.get, "/status", for: .allowedOrigins) { $0.streamStatus },
    ServiceRoute(.get, "/commands/subscribe") { $0.showCommand },
    ServiceRoute(.get, "/") { $0.showForm },
    ServiceRoute(.get, "/thanks/{id}") { $0.thank },
    ServiceRoute(.get, "/confirm/{token}", for: .secretLink) { $0.showConfirmation },
    ServiceRoute(.post, "/confirm/{token}", for: .secretLink) { $0.confirm },
    ServiceRoute(.post, "/confirm/{token}/mail", for: .secretLink) { $0.renewLink },
    ServiceRoute(.get, "/unsubscribe/{token}", for: .secretLink) { $0.showLeaving },
    ServiceRoute(.post, "/unsubscribe/{token}", for: .secretLink) { $0.leave },
    ServiceRoute(.get, "/problems/{name}") { $0.explainProblem },
    ServiceRoute(file: "/embed.js", script(resource_embed_js()), for: .everySite),
    ServiceRoute(.get, "/embed.json", for: .everySite) { $0.showScriptTexts },
    ServiceRoute(file: "/code.js", script(resource_code_js()), for: .everySite),
    ServiceRoute(.get, "/embed.css", for: .everySite) { $0.showEmbedStyle },
    ServiceRoute(.get, "/page.css") { $0.showPageStyle },
    ServiceRoute(.get, "/logo") { $0.showLogo },
    ServiceRoute(file: "/icon.svg", Asset(resource_icon_svg().bytes, mediaType: "image/svg+xml")),
    ServiceRoute(.get, "/openapi.json") { _ in
      { $0.exchange.respond(descriptionFile.response(to: $0.exchange.request)) }
    },
    ServiceRoute(.get, "/livez", for: .everyHost) { $0.live },
    ServiceRoute(.get, "/readyz", for: .everyHost) { $0.ready },
  ]

  private static func script(_ file: Resource) -> Asset {
    Asset(file.bytes, mediaType: "text/javascript; charset=utf-8")
  }

  /// The table, and a route for the OPTIONS of each path that pages of other sites may use.
  static let rows =
    table
    + table.filter { $0.access == .allowedOrigins || $0.access == .everySite }.map { route in
      ServiceRoute(.options, route.pattern, for: route.access) { service in
        { (routed) throws(ProblemDetails) in
          try service.origins.respondToOptions(routed.exchange, of: route)
        }
      }
    }

  static let routes = Routes(rows)

  /// The description of these routes.
  static let description = Description(
    resource_openapi(), rows.map { $0.described }, isPublic: true)

  /// The file of the description, made for the first request.
  static let descriptionFile = description.asset

  /// Returns the pattern of a path's route; `nil` if no route has the path.
  package static func pattern(of path: String) -> String? { routes.pattern(of: path) }

  /// Returns the page with the form that is sent to a path, which browsers also open later, for
  /// instance from their history; `nil` for any other path.
  static func page(sendingTo path: String) -> String? {
    let segments = path.split(separator: "/")
    return switch pattern(of: path) {
    case "/subscribers": "/"
    case "/executions/{id}/code": "/thanks/\(segments[1])"
    case "/confirm/{token}/mail": "/confirm/\(segments[1])"
    default: nil
    }
  }

  /// Returns the paths of the routes with an access.
  static func paths(for access: RouteAccess) -> PathSet {
    PathSet(table.filter { $0.access == access })
  }
}
