package import HTTPTypes
internal import Platform

/// A row of a table of routes: a method and a path, who may use it, and what responds.
package struct Route<Access: Sendable, Handler: Sendable>: Sendable {
  /// The method; a route for GET also gets HEAD, whose body the transport omits.
  package let method: HTTPRequest.Method
  /// The pattern of the path: `{…}` matches one nonempty segment.
  package let pattern: String
  package let access: Access
  package let handler: Handler

  package init(
    _ method: HTTPRequest.Method, _ pattern: String, for access: Access, handler: Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.access = access
    self.handler = handler
  }
}

/// The routes of a listener, looked up by path.
///
/// Paths are compared as sent, segment by segment, without percent-decoding.
///
/// Not generic: other modules get no specialized code, and a search in generic code took 4,000
/// instructions, 6% of a 404.
package struct Routes: Sendable {
  /// The routes of one pattern, by their indices.
  ///
  /// A class, because a path without a route is compared with many patterns, and each copy of a
  /// structure would retain all of its members.
  private final class Path: Sendable {
    let pattern: RoutePattern
    let methods: [HTTPRequest.Method]
    let indices: [Int]

    init(_ pattern: String, _ routes: [(method: HTTPRequest.Method, pattern: String)]) {
      self.pattern = RoutePattern(pattern)
      indices = routes.indices.filter { routes[$0].pattern == pattern }
      methods = indices.map { routes[$0].method }
    }
  }

  /// Most requests are for a path without parameters, which takes one lookup.
  private let fixed: [String: Path]
  private let parameterized: [Path]

  /// Creates a table; of two patterns that match the same path, the first one gets it.
  package init<Access, Handler>(_ routes: [Route<Access, Handler>]) {
    let routes = routes.map { (method: $0.method, pattern: $0.pattern) }
    var patterns: [String] = []
    for route in routes where !patterns.contains(route.pattern) { patterns.append(route.pattern) }
    let paths = patterns.map { Path($0, routes) }
    let fixed = paths.filter { !$0.pattern.hasParameters }
    self.fixed = Dictionary(uniqueKeysWithValues: fixed.map { ($0.pattern.text, $0) })
    parameterized = paths.filter(\.pattern.hasParameters)
  }

  /// Returns the index of the route of an exchange; responds with 404 or 405 if there is none.
  package func find(_ exchange: Exchange) -> (index: Int, routed: RoutedExchange)? {
    guard let path = path(exchange.request.path) else {
      exchange.respond(.notFound)
      return nil
    }
    let method = exchange.request.method == .head ? .get : exchange.request.method
    guard let index = path.methods.firstIndex(of: method) else {
      let more: [HTTPRequest.Method] = path.methods.contains(.get) ? [.head] : []
      exchange.respond(.methodNotAllowed(path.methods + more))
      return nil
    }
    return (path.indices[index], RoutedExchange(exchange, path.pattern))
  }

  /// Returns the pattern of a path's routes, for example `/executions/{id}`, which contains no secret
  /// of the path; `nil` if no route has the path.
  package func pattern(of path: String) -> String? { self.path(path)?.pattern.text }

  private func path(_ path: String) -> Path? {
    fixed[path] ?? parameterized.first { $0.pattern.matches(path) }
  }
}

/// An exchange that a route gets, with the parameters of its path.
package struct RoutedExchange: Sendable {
  package let exchange: Exchange
  /// The names and the segments, still percent-encoded; an empty array allocates nothing.
  private var parameters: [(name: String, value: Substring)] = []

  init(_ exchange: Exchange, _ pattern: RoutePattern) {
    self.exchange = exchange
    guard pattern.hasParameters else { return }
    _ = pattern.match(exchange.request.path) { name, value in parameters.append((name, value)) }
  }

  /// The segment of the path for a parameter, nonempty and still percent-encoded; `nil` if the
  /// route's pattern has no such parameter.
  package subscript(name: String) -> Substring? {
    parameters.first { $0.name == name }?.value
  }
}

/// The paths of some routes.
///
/// Every path below a pattern with a parameter counts, so that a page of another site can also read
/// the 404 there, and a mistyped URL is still a secret.
package struct PathSet: Sendable {
  private let paths: [String]
  private let prefixes: [String]

  package init<Access, Handler>(_ routes: [Route<Access, Handler>]) {
    let patterns = routes.map(\.pattern)
    paths = patterns.filter { !$0.contains("{") }
    prefixes = Set(patterns.filter { $0.contains("{") }.map { String($0.prefix { $0 != "{" }) })
      .sorted()
  }

  /// Returns whether a path belongs to one of the routes, or lies below one with a parameter.
  package func contains(_ path: String) -> Bool {
    paths.contains(path) || prefixes.contains { path.starts(withBytesOf: $0) }
  }
}

/// The pattern of a route's path: segments to compare, and named parameters.
struct RoutePattern: Sendable {
  private enum Segment {
    /// A segment that must be equal, byte by byte.
    case fixed(String)
    /// Any nonempty segment.
    case parameter(name: String)
  }

  /// The pattern as written, for example `/executions/{id}`.
  let text: String
  let hasParameters: Bool
  private let segments: [Segment]
  /// The text before the first parameter.
  private let prefix: String

  init(_ text: String) {
    self.text = text
    hasParameters = text.contains("{")
    prefix = String(text.prefix { $0 != "{" })
    segments = text.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      segment.hasPrefix("{")
        ? .parameter(name: String(segment.dropFirst().dropLast())) : .fixed(String(segment))
    }
  }

  /// Returns whether the pattern matches a path; allocates nothing.
  func matches(_ path: String) -> Bool {
    // Most paths differ from the pattern before its first parameter.
    path.starts(withBytesOf: prefix) && match(path) { _, _ in }
  }

  /// Compares a path with the pattern, and calls `bind` with each parameter.
  ///
  /// The comparison ends at the first segment that differs: a hostile path may consist of thousands
  /// of slashes.
  func match(_ path: String, _ bind: (String, Substring) -> Void) -> Bool {
    var rest = path[...].utf8
    for (index, segment) in segments.enumerated() {
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let value = rest[..<end]
      switch segment {
      case .fixed(let text):
        guard value.elementsEqual(text.utf8) else { return false }
      case .parameter(let name):
        guard !value.isEmpty else { return false }
        bind(name, Substring(value))
      }
      let isLast = index == segments.count - 1
      guard (end == rest.endIndex) == isLast else { return false }
      if !isLast { rest = rest[rest.index(after: end)...] }
    }
    return true
  }
}
