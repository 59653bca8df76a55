import TestSupport

extension Folder {
  /// The database file of the test.
  var database: String { self("list.sqlite") }

  /// The names of all files in the folder.
  var files: Set<String> {
    get throws { Set(try names) }
  }
}

/// Runs a test with a folder, which is removed afterwards.
func withFolder(_ body: (Folder) async throws -> Void) async throws {
  let folder = try Folder()
  defer { withExtendedLifetime(folder) {} }
  try await body(folder)
}
