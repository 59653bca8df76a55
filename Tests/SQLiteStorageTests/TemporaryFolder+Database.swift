import Foundation
import TestSupport

extension TemporaryFolder {
  /// The database file of the test.
  var database: String { path(of: "list.sqlite") }

  /// The names of all files in the folder.
  var files: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }
  }
}

/// Runs a test with a folder, which is removed afterwards.
func withTemporaryFolder(_ body: (TemporaryFolder) async throws -> Void) async throws {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  try await body(folder)
}
