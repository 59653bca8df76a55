internal import HTTPSignals
internal import HTTPTypes

/// A route of the service: what it responds to, who may use it, and its handler.
struct ServiceRoute: Sendable {
  /// The pages and clients that may use a route.
  enum Access: Hashable, Sendable {
    /// The service's own pages, and programs.
    case ownOrigin
    /// Pages of allowed sites, too; their browsers may send a preflight (Fetch Standard §3.3).
    case allowedOrigins
    /// Whoever knows the link: the path contains a secret, which pages must not reveal.
    case secretLink
    /// Supervisors of the process, too, whatever host they request.
    case everyHost
  }

  /// Handles the requests of a route.
  typealias Handler = @Sendable (RoutedExchange) -> Void

  /// The method; a route for GET also gets HEAD.
  let method: HTTPRequest.Method
  /// The pattern of the path, as the router takes it.
  let pattern: String
  /// The pages and clients that may use the route.
  let access: Access
  /// Returns the handler of a service.
  let handler: @Sendable (SubscribeRoutes) -> Handler
  /// The file that the route serves; `nil` if its responses are made for each request.
  let asset: Asset?

  /// Makes a route.
  ///
  /// - Parameter access: The pages and clients that may use the route.
  init(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    for access: Access = .ownOrigin,
    _ handler: @escaping @Sendable (SubscribeRoutes) -> Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.access = access
    self.handler = handler
    asset = nil
  }

  /// Makes the route of a script, which is served without its comments and its indentation.
  init(script path: String, _ source: [UInt8]) {
    let lines = source.split(separator: UInt8(ascii: "\n")).map {
      $0.drop { $0 == UInt8(ascii: " ") }
    }
    let code = lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: "\n".utf8)
    self.init(file: path, Array(code), mediaType: "text/javascript; charset=utf-8")
  }

  /// Makes the route of a file that the pages need.
  ///
  /// - Parameter bytes: The bytes of the file.
  init(file path: String, _ bytes: [UInt8], mediaType: String) {
    let asset = Asset(bytes, mediaType: mediaType)
    method = .get
    pattern = path
    access = .ownOrigin
    handler = { _ in { $0.exchange.respond(asset.response(to: $0.exchange.request)) } }
    self.asset = asset
  }
}
