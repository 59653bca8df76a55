package import HTTPTypes
internal import Locks
package import Signals

/// Dispatches each exchange to the route for its method and path; responds with 404 or 405 itself.
///
/// ```swift
/// let router = Router()
/// router.route(.get, "/status").subscribe(next: { exchange in
///   exchange.respond(Response(status: .noContent))
/// })
/// for exchanges in daemon.exchanges { router.connect(to: exchanges) }
/// ```
///
/// The router compares paths as sent, segment by segment, without percent-decoding. `{…}` in a
/// pattern matches one nonempty segment. The route for GET also gets HEAD; the transport omits the
/// body.
package final class Router: Sendable {
  private struct Route {
    let method: HTTPRequest.Method
    let segments: [Substring]
    let exchanges: Subject<Exchange, Never>
  }

  private let routes = Lock<[Route]>([])

  /// Makes a router without routes.
  package init() {}

  /// Adds a route.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - pattern: The pattern of the path, for example `/executions/{id}`.
  /// - Returns: A hot signal of the route's exchanges. Without an observer the router releases the
  ///   exchange, which then responds with 500.
  package func route(
    _ method: HTTPRequest.Method,
    _ pattern: String
  ) -> Signal<Exchange, Never> {
    let route = Route(
      method: method,
      segments: Self.segments(of: pattern, maximumCount: .max - 1),
      exchanges: Subject()
    )
    routes.withLock { $0.append(route) }
    return route.exchanges.signal
  }

  /// Starts routing exchanges to the routes added so far; ignores routes that are added later.
  ///
  /// - Parameter exchanges: The exchanges as requests arrive.
  /// - Returns: The subscription; disposing of it stops the routing.
  @discardableResult
  package func connect(to exchanges: Signal<Exchange, Never>) -> any Disposable {
    let routes = routes.withLock { $0 }
    // Most requests are for a path without parameters, which takes one lookup.
    let fixed = Dictionary(grouping: routes.filter { !Self.hasParameters($0) }) { route in
      route.segments.joined(separator: "/")
    }
    let parameterized = routes.filter(Self.hasParameters)
    let maximumCount = parameterized.map(\.segments.count).max() ?? 0
    return exchanges.subscribe(next: { exchange in
      let path = exchange.request.path
      if let routes = fixed[path] {
        Self.dispatch(exchange, among: routes)
      } else {
        let segments = Self.segments(of: path, maximumCount: maximumCount)
        Self.dispatch(exchange, among: parameterized.filter { Self.matches($0, segments) })
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
      route.exchanges.send(exchange)
    } else {
      var allowed = routes.map(\.method)
      if allowed.contains(.get) { allowed.append(.head) }
      exchange.respond(.methodNotAllowed(allowed))
    }
  }

  /// Splits a path into at most one segment more than `maximumCount`.
  ///
  /// A path of thousands of slashes must not cost more than any other path without a route.
  private static func segments(of path: String, maximumCount: Int) -> [Substring] {
    path.utf8
      .split(
        separator: UInt8(ascii: "/"),
        maxSplits: maximumCount,
        omittingEmptySubsequences: false
      )
      .map { Substring($0) }
  }

  private static func hasParameters(_ route: Route) -> Bool {
    route.segments.contains(where: isParameter)
  }

  private static func isParameter(_ segment: Substring) -> Bool { segment.first == "{" }

  private static func matches(_ route: Route, _ segments: [Substring]) -> Bool {
    route.segments.count == segments.count
      && zip(route.segments, segments).allSatisfy { pattern, segment in
        isParameter(pattern) ? !segment.isEmpty : pattern == segment
      }
  }
}
