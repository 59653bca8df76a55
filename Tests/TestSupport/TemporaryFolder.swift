internal import Foundation

/// A new, empty folder that is removed with everything in it when nobody holds it any more.
package final class TemporaryFolder: Sendable {
  /// The folder's path, without a slash at its end.
  package let path: String

  /// Makes a folder where the system keeps such; the corresponding C function is `mkdtemp`.
  ///
  /// - Throws: `TestSystemError` when the system does not let it.
  package init() throws(TestSystemError) {
    let parent = FileManager.default.temporaryDirectory.path
    var template = Array("\(parent)/enlist-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .last("mkdtemp") }
    path = String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
      as: UTF8.self
    )
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of something in the folder.
  ///
  /// - Parameter name: Its name.
  /// - Returns: Its path, whether it is there or not.
  package func path(of name: String) -> String {
    "\(path)/\(name)"
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - text: What it holds.
  ///   - name: Its name.
  /// - Returns: Its path.
  /// - Throws: The system's error.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: path(of: name), atomically: false, encoding: .utf8)
    return path(of: name)
  }

  /// Reads a file.
  ///
  /// - Parameter name: Its name.
  /// - Returns: What it holds.
  /// - Throws: The system's error.
  package func read(_ name: String) throws -> String {
    try String(contentsOfFile: path(of: name), encoding: .utf8)
  }
}
