internal import ASCII

/// The paths of some routes, derived from their patterns.
///
/// Below a pattern with a parameter every path counts: for instance, a page of another site can also
/// read the 404 there, and a URL with a mistake is still a secret.
struct RoutePaths: Sendable {
  private let paths: [String]
  private let prefixes: [String]

  /// Derives the paths.
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
