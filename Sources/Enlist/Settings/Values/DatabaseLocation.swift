/// The location of the database that stores the list.
enum DatabaseLocation: Hashable, Sendable {
  /// A SQLite file.
  case sqlite(path: String)

  /// Parses a location, or returns `nil` if the text is invalid.
  ///
  /// - Parameter text: `sqlite:` and a path. A path that SQLite does not treat as a file
  ///   (`:memory:` or an empty path) is rejected because the data would not survive the process.
  init?(_ text: String) {
    let scheme = "sqlite:"
    guard text.hasPrefix(scheme) else { return nil }
    let path = String(text.dropFirst(scheme.count))
    guard !path.isEmpty, !path.hasPrefix(":"), !path.utf8.contains(0) else { return nil }
    self = .sqlite(path: path)
  }
}

extension DatabaseLocation: CustomStringConvertible {
  /// The location in the setting's format.
  var description: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    }
  }
}
