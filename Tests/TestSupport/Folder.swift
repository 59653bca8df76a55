internal import Foundation

/// A new, empty folder that is removed with its contents when its last owner is released.
package final class Folder: Sendable {
  /// The path of the folder, without a trailing slash.
  package let path: String

  /// Makes a folder in the system's temporary directory; the corresponding C function is `mkdtemp`.
  ///
  /// - Parameter inMemory: Whether the folder is in memory, if the system has room there: for many
  ///   writes that need not be durable.
  /// - Throws: `TestSystemError`.
  package init(inMemory: Bool = false) throws(TestSystemError) {
    let parent =
      inMemory && Self.hasMemory ? Self.memory : FileManager.default.temporaryDirectory.path
    var template = Array("\(parent)/enlist-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .last("mkdtemp") }
    path = String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static let memory = "/dev/shm"

  /// Whether the file system in memory has room for all tests, for which Docker's 64 megabytes are
  /// too little; the corresponding C functions are `access` and `statvfs`.
  private static let hasMemory: Bool = {
    var status = statvfs()
    guard access(memory, W_OK) == 0, statvfs(memory, &status) == 0 else { return false }
    return status.f_bavail * status.f_frsize >= 1 << 30
  }()

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder, even if the file does not exist.
  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of the files.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path) }
  }

  /// Writes a file.
  ///
  /// - Returns: The path of the file.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: self(name), atomically: false, encoding: .utf8)
    return self(name)
  }

  /// Reads a file.
  package func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: self(name))), as: UTF8.self)
  }
}
