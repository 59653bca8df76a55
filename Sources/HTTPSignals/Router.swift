package import HTTPTypes
package import Signals

/// Dispatches each exchange to the route for its method and path; responds with 404 or 405 itself.
///
/// ```swift
/// let requests = Subject<Exchange, Never>()
/// let router = Router()
/// router.route(.get, "/things/{id}").subscribe(next: { routed in
///   let id = routed["id"] ?? ""
///   routed.exchange.respond(Response(status: .ok, body: .bytes(Array(id.utf8))))
/// })
/// router.connect(to: requests.signal)
/// ```
///
/// The router compares paths as sent, segment by segment, without percent-decoding. `{…}` in a
/// pattern matches one nonempty segment. The route for GET also gets HEAD; the transport omits the
/// body.
package final class Router: Sendable {
  /// A class, because a path without a route is compared with many routes, and each copy of a
  /// structure would retain all of its members.
  private final class Route: Sendable {
    let method: HTTPRequest.Method
    let pattern: RoutePattern
    let exchanges = Subject<RoutedExchange, Never>()

    init(_ method: HTTPRequest.Method, _ pattern: RoutePattern) {
      self.method = method
      self.pattern = pattern
    }
  }

  private let routes = Lock<[Route]>([])

  package init() {}

  /// Adds a route, and returns a hot signal of its exchanges with their parameters.
  ///
  /// Without an observer the router releases the exchange, which then responds with 500.
  package func route(
    _ method: HTTPRequest.Method, _ pattern: String
  ) -> Signal<RoutedExchange, Never> {
    let route = Route(method, RoutePattern(pattern))
    routes.withLock { $0.append(route) }
    return route.exchanges.signal
  }

  /// Starts routing exchanges to the routes added so far; ignores routes that are added later.
  ///
  /// - Returns: The subscription, which stops the routing when it is disposed of.
  @discardableResult
  package func connect(to exchanges: Signal<Exchange, Never>) -> any Disposable {
    let routes = routes.withLock { $0 }
    // Most requests are for a path without parameters, which takes one lookup.
    let fixed = Dictionary(grouping: routes.filter { !$0.pattern.hasParameters }) { route in
      route.pattern.text
    }
    let parameterized = routes.filter(\.pattern.hasParameters)
    return exchanges.subscribe(next: { exchange in
      let path = exchange.request.path
      if let routes = fixed[path] {
        Self.dispatch(exchange, among: routes)
      } else {
        Self.dispatch(exchange, among: parameterized.filter { $0.pattern.matches(path) })
      }
    })
  }

  private static func dispatch(_ exchange: Exchange, among routes: [Route]) {
    guard !routes.isEmpty else {
      exchange.respond(.notFound)
      return
    }
    let method = exchange.request.method == .head ? .get : exchange.request.method
    if let route = routes.first(where: { $0.method == method }) {
      let parameters = route.pattern.parameters(of: exchange.request.path)
      route.exchanges.send(RoutedExchange(exchange, parameters: parameters))
    } else {
      var allowed = routes.map(\.method)
      if allowed.contains(.get) { allowed.append(.head) }
      exchange.respond(.methodNotAllowed(allowed))
    }
  }
}
