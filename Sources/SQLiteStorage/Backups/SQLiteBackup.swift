internal import Glibc

/// A backup of a database, which a service may be using.
///
/// The backup is a single file with everything that was committed when it began. It is a copy of
/// personal data and contains the secret of the service unless the operator has set one.
package struct SQLiteBackup: Hashable, Sendable {
  /// The size of the file in bytes.
  package let byteCount: Int
  package let schemaVersion: Int

  /// Writes a backup, which replaces the file of that name once it is complete and on the disk.
  ///
  /// Only its owner can access the file. It is written next to the one that it replaces, under a
  /// hidden name; if the process is killed, the next backup to the same folder removes it. No
  /// sign-up waits for the backup, but the service's log grows until the backup is complete, see
  /// `DatabaseCopy`.
  ///
  /// - Parameters:
  ///   - source: The database, whose schema may be older than this program's.
  ///   - proceed: Called about every millisecond; returns `false` to end the backup.
  /// - Throws: `BackupError`; the old file is unchanged, unless the failed action is writing the
  ///   folder to the disk.
  package static func write(
    _ source: String, to target: String, busyTimeout: Duration = .seconds(5),
    proceed: @escaping (CopyProgress) -> Bool = { _ in true }
  ) throws(BackupError) -> SQLiteBackup {
    // Symbolic links are followed, as in `cp`.
    let resolved = DatabaseFiles.resolve(target)
    try check(resolved, named: target, against: DatabaseFiles(path: source))
    let (database, version) = try DatabaseOpening.source(
      path: source, busyTimeout: busyTimeout, isList: true)
    let file = try PartialFile(replacing: resolved)
    try DatabaseCopy.write(database, to: file, proceed: proceed)
    // Ends the connection; a failure concerns only the log, which the service owns.
    try? database.close()
    let byteCount = file.byteCount
    do throws(FileSystemError) {
      try file.replaceTarget()
    } catch {
      throw .file(error)
    }
    return SQLiteBackup(byteCount: byteCount, schemaVersion: version)
  }

  /// Whether a file begins like a database, or cannot be read.
  private static func mayBeDatabase(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    let beginning = Array("SQLite format 3\0".utf8)
    var bytes = beginning
    return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
  }

  /// Rejects a target that is no earlier backup, or that a program may be using as a database.
  private static func check(
    _ target: String, named path: String, against files: DatabaseFiles
  ) throws(BackupError) {
    guard !files.includes(target) else { throw .isDatabase(path: path) }
    let status = FileStatus(at: target)
    if let status, !status.isRegular { throw .notAFile(path: path) }
    for log in [target + "-wal", target + "-journal"] {
      if let status = FileStatus(at: log), status.byteCount > 0 {
        throw .hasLog(path: path, log: log)
      }
    }
    if let status, status.byteCount > 0, !mayBeDatabase(target) { throw .notABackup(path: path) }
  }
}
