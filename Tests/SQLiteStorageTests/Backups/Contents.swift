import Foundation
import TestSupport
import Testing

/// Reads and changes the files of a test like another program.
enum Contents {
  /// Returns the addresses in a database, in the order of ids, and checks its integrity.
  static func addresses(at path: String) throws -> [String] {
    let file = try SQLiteFile(path, isReadOnly: true)
    #expect(try file.texts("PRAGMA integrity_check") == ["ok"])
    return try file.texts("SELECT address FROM subscribers ORDER BY id")
  }

  /// Executes SQL without foreign keys.
  static func change(_ path: String, _ sql: String) throws {
    try SQLiteFile(path).execute(sql)
  }

  /// Returns SQL that adds subscribers, `1@example.net` and so on.
  static func adding(_ count: Int) -> String {
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO subscribers(address, address_key, state, created_at, updated_at)
      SELECT i || '@example.net', i || '@example.net', 1, 0, 0 FROM n
    """
  }

  /// Changes the bytes of a file.
  static func spoil(_ path: String, _ body: (inout Data) -> Void) throws {
    let file = URL(filePath: path)
    var bytes = try Data(contentsOf: file)
    body(&bytes)
    try bytes.write(to: file)
  }

  /// Returns the permissions of a file.
  static func permissions(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }
}
