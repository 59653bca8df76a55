internal import GRDB

/// Whether the file still is what was written to it.
enum IntegrityCheck {
  /// Larger files are not looked at: it takes about 3 ms for each MiB, more from a slow disk.
  private static let maximumBytes = 256 * 1024 * 1024

  /// Looks at each page and row, but not whether the indexes agree with them
  /// (<https://www.sqlite.org/pragma.html#pragma_quick_check>).
  ///
  /// - Parameters:
  ///   - db: A connection.
  ///   - path: The file.
  /// - Throws: `StoreOpeningError.damaged`, or an error of GRDB.
  static func run(_ db: Database, path: String) throws {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let bytes = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    guard pages * bytes <= maximumBytes else { return }
    let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
    guard finding != "ok" else { return }
    // The last line tells what, the lines before it where; no line holds what a row does.
    let reason = finding.split(separator: "\n").last.map(String.init) ?? finding
    throw StoreOpeningError.damaged(path: path, reason: reason)
  }
}
