/// A check for damaged database files.
enum IntegrityCheck {
  /// Rejects a file that is shorter than its page count requires, without reading pages.
  ///
  /// Pages that are missing in the file must be in the log, which contains at most one page per
  /// frame.
  static func checkSize(of files: DatabaseFiles, named path: String, in db: SQLiteConnection) throws
  {
    let pages = Int(try db.number("PRAGMA page_count") ?? 0)
    let pageBytes = max(Int(try db.number("PRAGMA page_size") ?? 0), 512)
    // Read the size of the log first: pages that a checkpoint copies meanwhile are then in the
    // file.
    let frames = (FileStatus(at: files.log)?.byteCount ?? 0) / (pageBytes + 24)
    let missing = pages - (FileStatus(at: files.database)?.byteCount ?? 0) / pageBytes - frames
    guard missing > 0 else { return }
    let reason = "\(missing) of its \(pages) pages are missing"
    throw StoreOpeningError.damaged(path: path, reason: reason)
  }

  /// Checks every page and row, but not whether the indexes match them
  /// (<https://www.sqlite.org/pragma.html#pragma_quick_check>).
  ///
  /// It takes about 3 ms per MiB, and longer on a slow disk.
  static func run(_ db: SQLiteConnection, path: String) throws {
    let finding = try db.text("PRAGMA quick_check(1)") ?? "no result"
    guard finding != "ok" else { return }
    throw StoreOpeningError.damaged(path: path, reason: reason(finding))
  }

  /// Checks every page, row and index, and every reference between rows, whatever the size of the
  /// file (<https://www.sqlite.org/pragma.html#pragma_integrity_check>).
  static func runCompletely(_ db: SQLiteConnection, path: String) throws {
    let finding = try db.text("PRAGMA integrity_check(1)") ?? "no result"
    guard finding == "ok" else {
      throw StoreOpeningError.damaged(path: path, reason: reason(finding))
    }
    if let table = try db.text("PRAGMA foreign_key_check") {
      let reason = "a row of \(table) refers to a row that does not exist"
      throw StoreOpeningError.damaged(path: path, reason: reason)
    }
  }

  /// Returns the last line of a finding, which names the damage.
  ///
  /// Earlier lines name its location. No line contains the content of a row.
  private static func reason(_ finding: String) -> String {
    finding.split(separator: "\n").last.map(String.init) ?? finding
  }
}
