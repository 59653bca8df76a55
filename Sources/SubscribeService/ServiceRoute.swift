internal import HTTPSignals
internal import HTTPTypes

/// The pages and clients that may use a route of the service.
enum RouteAccess: Sendable {
  /// The service's own pages, and programs.
  case ownOrigin
  /// Also pages of allowed sites; their browsers may send a preflight (Fetch Standard §3.3).
  case allowedOrigins
  /// Every client that knows the link: the path contains a secret, which pages must not reveal.
  case secretLink
  /// Also supervisors of the process, with any requested host.
  case everyHost
}

/// A route of the service, whose handler belongs to one service.
typealias ServiceRoute = Route<
  RouteAccess, @Sendable (SubscribeRoutes) -> @Sendable (RoutedExchange) -> Void
>

extension ServiceRoute {
  init(
    _ method: HTTPRequest.Method, _ pattern: String, for access: RouteAccess = .ownOrigin,
    _ handler: Handler
  ) {
    self.init(method, pattern, for: access, handler: handler)
  }

  /// Creates the route of a file that the pages need.
  init(file path: String, _ bytes: [UInt8], mediaType: String) {
    let asset = Asset(bytes, mediaType: mediaType)
    self.init(.get, path) { _ in
      { $0.exchange.respond(asset.response(to: $0.exchange.request)) }
    }
  }
}
