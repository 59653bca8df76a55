package import Foundation

/// The repository with the tests.
package enum Repository {
  /// The folder of the repository.
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
}

/// A document of the repository.
package struct Document {
  /// The path in the repository.
  package let path: String
  /// The content.
  package let text: String

  /// Reads a document.
  ///
  /// - Parameter path: The path in the repository.
  package init(_ path: String) throws {
    self.path = path
    text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
  }
}
