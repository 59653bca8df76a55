import Foundation
import TestSupport
import Testing

/// A command of the program that has ended.
struct CommandRun {
  let end: ChildProcess.End
  /// Standard output.
  let output: String
  /// Standard error.
  let errors: String

  /// Runs a command to its end.
  ///
  /// - Parameters:
  ///   - arguments: The command and its arguments.
  ///   - environment: Variables added to the environment.
  ///   - input: The content of standard input.
  ///   - folder: The working directory.
  ///   - launcher: A program that starts the command.
  /// - Throws: `TestSystemError`.
  init(
    _ arguments: [String], environment: [String: String] = [:], input: String = "",
    in folder: TemporaryFolder? = nil, through launcher: [String] = []
  ) throws(TestSystemError) {
    let process = try ChildProcess(
      "enlist", arguments, environment: environment, input: Array(input.utf8), in: folder,
      through: launcher)
    let deadline = Deadline(after: .seconds(60))
    output = String(decoding: try process.readOutput(by: deadline), as: UTF8.self)
    end = try process.wait(by: deadline)
    errors = process.standardError
  }
}

/// A list that is so long that copying it takes a while.
enum LongList {
  /// Makes a folder with the database of a service that has ended.
  ///
  /// - Parameter count: The number of subscribers, each with one consent.
  /// - Returns: The folder.
  /// - Throws: `TestSystemError` or `SQLiteFileError`.
  static func folder(count: Int) throws -> TemporaryFolder {
    let service = try RunningService(["--drain", "0s"])
    service.process.send(signal: SIGTERM)
    try #require(try service.process.wait() == .exit(0))
    try SQLiteFile(service.database).execute(
      """
      BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO subscribers(address, address_key, state, created_at, updated_at)
        SELECT 'p' || i || '@example.org', 'p' || i || '@example.org', 1, 0, 0 FROM n;
      INSERT INTO consents(id, subscriber_id, kind, at, text)
        SELECT CAST(printf('%022d', id) AS BLOB), id, 'requested', 0, hex(randomblob(100))
        FROM subscribers;
      COMMIT
      """
    )
    return service.folder
  }
}

extension TemporaryFolder {
  /// Whether a file is not empty.
  func hasBytes(in name: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path(of: name))
    return (attributes?[.size] as? Int ?? 0) > 0
  }

  /// The names of files that are hidden, such as those of incomplete copies.
  var hiddenFiles: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix(".") }
    }
  }
}
