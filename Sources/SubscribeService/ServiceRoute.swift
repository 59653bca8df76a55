internal import HTTPSignals
internal import HTTPTypes

/// A route of the service: its method and path, its access, and its handler.
struct ServiceRoute: Sendable {
  /// The pages and clients that may use a route.
  enum Access: Hashable, Sendable {
    /// The service's own pages, and programs.
    case ownOrigin
    /// Also pages of allowed sites; their browsers may send a preflight (Fetch Standard §3.3).
    case allowedOrigins
    /// Every client that knows the link: the path contains a secret, which pages must not reveal.
    case secretLink
    /// Also supervisors of the process, with any requested host.
    case everyHost
  }

  typealias Handler = @Sendable (RoutedExchange) -> Void

  /// The method; a route for GET also gets HEAD.
  let method: HTTPRequest.Method
  /// The pattern of the path, in the router's format.
  let pattern: String
  let access: Access
  /// Returns the handler of a service.
  let handler: @Sendable (SubscribeRoutes) -> Handler
  /// The file that the route serves; `nil` for responses that are created for each request.
  let asset: Asset?

  init(
    _ method: HTTPRequest.Method, _ pattern: String, for access: Access = .ownOrigin,
    _ handler: @escaping @Sendable (SubscribeRoutes) -> Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.access = access
    self.handler = handler
    asset = nil
  }

  /// Creates the route of a script, which is served without its comments, its indentation, and the
  /// spaces around its `=` and `=>`.
  init(script path: String, _ source: [UInt8]) {
    let lines = source.split(separator: UInt8(ascii: "\n")).map {
      $0.drop { $0 == UInt8(ascii: " ") }
    }
    let code = lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: "\n".utf8)
    let script = String(decoding: Array(code), as: UTF8.self)
      .replacing(" = ", with: "=").replacing(" => ", with: "=>")
    self.init(file: path, Array(script.utf8), mediaType: "text/javascript; charset=utf-8")
  }

  /// Creates the route of a file that the pages need.
  init(file path: String, _ bytes: [UInt8], mediaType: String) {
    let asset = Asset(bytes, mediaType: mediaType)
    method = .get
    pattern = path
    access = .ownOrigin
    handler = { _ in { $0.exchange.respond(asset.response(to: $0.exchange.request)) } }
    self.asset = asset
  }
}
