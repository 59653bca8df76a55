/// Where the list is kept.
enum DatabaseLocation: Hashable, Sendable {
  /// In one SQLite file.
  case sqlite(path: String)

  /// Reads a location.
  ///
  /// - Parameter text: `sqlite:` and a path; anything else is none. A path that SQLite would take
  ///   for something else than a file (`:memory:`, or nothing) is rejected: nothing would survive.
  init?(_ text: String) {
    let scheme = "sqlite:"
    guard text.hasPrefix(scheme) else { return nil }
    let path = String(text.dropFirst(scheme.count))
    guard !path.isEmpty, !path.hasPrefix(":"), !path.utf8.contains(0) else { return nil }
    self = .sqlite(path: path)
  }
}

extension DatabaseLocation: CustomStringConvertible {
  /// The location as the setting has it.
  var description: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    }
  }
}
