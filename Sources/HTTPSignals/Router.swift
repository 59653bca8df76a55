package import HTTPTypes
internal import Locks
package import Signals

/// Takes each exchange to the route of its method and path; answers 404 and 405 itself.
///
/// ```swift
/// let router = Router()
/// router.route(.post, "/subscribers").subscribe(next: subscribeController.handle)
/// router.connect(to: daemon.exchanges)
/// ```
///
/// A path is matched as it was sent, segment by segment; `{…}` in a pattern stands for one segment
/// that is not empty. HEAD goes where GET goes: the transport leaves the content out.
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
  ///   - method: The method that it answers.
  ///   - pattern: The path, `/executions/{id}` for instance.
  /// - Returns: The exchanges of the route, hot; an exchange that nobody is subscribed to is let go
  ///   of, and so answered with 500.
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

  /// Routes exchanges from now on; routes that are added later do not count.
  ///
  /// - Parameter exchanges: The requests as they arrive.
  /// - Returns: The subscription.
  @discardableResult
  package func connect(to exchanges: Signal<Exchange, Never>) -> any Disposable {
    let routes = routes.withLock { $0 }
    // Most requests go to a path without parameters: one look-up.
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

  /// Splits a path into at most one segment more than there may be: a path of thousands of slashes
  /// must not cost more than another one that no route has.
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
