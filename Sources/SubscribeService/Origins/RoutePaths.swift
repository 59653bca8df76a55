/// The paths that pages of other origins may use, derived from the patterns of their routes.
///
/// Below a pattern with a parameter every path counts, so that a page can also read the 404.
struct SharedPaths: Sendable {
  private let paths: [String]
  private let prefixes: [String]

  /// Derives the paths.
  ///
  /// - Parameter patterns: The patterns of the routes, for example `/executions/{id}`.
  init(patterns: [String]) {
    paths = patterns.filter { !$0.contains("{") }
    prefixes = Set(patterns.filter { $0.contains("{") }.map { String($0.prefix { $0 != "{" }) })
      .sorted()
  }

  /// Returns whether pages of other origins may use a path.
  func contains(_ path: String) -> Bool {
    paths.contains(path) || prefixes.contains { path.utf8.starts(with: $0.utf8) }
  }
}
