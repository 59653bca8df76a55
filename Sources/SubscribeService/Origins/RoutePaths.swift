internal import Platform

/// The paths of some routes, derived from their patterns.
///
/// Every path below a pattern with a parameter counts, so that a page of another site can also read
/// the 404 there, and a mistyped URL is still a secret.
struct RoutePaths: Sendable {
  private let paths: [String]
  private let prefixes: [String]

  init(patterns: [String]) {
    paths = patterns.filter { !$0.contains("{") }
    prefixes = Set(patterns.filter { $0.contains("{") }.map { String($0.prefix { $0 != "{" }) })
      .sorted()
  }

  /// Returns whether a path belongs to one of the routes, or lies below one with a parameter.
  func contains(_ path: String) -> Bool {
    paths.contains(path) || prefixes.contains { path.starts(withBytesOf: $0) }
  }
}
