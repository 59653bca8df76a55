internal import Glibc
internal import MailingList

/// The database that a restored one replaces; it remains under another name.
enum ReplacedDatabase {
  /// Gives a database a second name, so that its first name can be given to another file.
  ///
  /// The log is first copied into the database, so that a single file remains. If the database is
  /// too damaged for that, its log gets a second name, too. The path names a database at every
  /// moment: the old one, until the caller renames another file to it.
  ///
  /// - Parameters:
  ///   - files: The files of the database; the caller holds its lock.
  ///   - proceed: Called during the wait; returns `false` to end it.
  /// - Returns: The second path; `nil` if no database existed.
  /// - Throws: `BackupError`, also while another program has the database open.
  static func keep(
    _ files: DatabaseFiles, at time: Timestamp, busyTimeout: Duration, _ proceed: () -> Bool
  ) throws(BackupError) -> String? {
    if FileIdentity(at: files.database) != nil {
      try endLog(of: files, busyTimeout: busyTimeout, proceed)
    }
    let journal = files.database + "-journal"
    let kept = try name(for: files, at: time)
    var hasKept = false
    for (suffix, path) in [("", files.database), ("-wal", files.log), ("-journal", journal)] {
      guard let status = FileStatus(at: path), suffix.isEmpty || status.byteCount > 0 else {
        continue
      }
      try link(path, kept + suffix)
      hasKept = true
    }
    do throws(FileSystemError) {
      if hasKept { try PartialFile.syncFolder(DatabaseFiles.split(kept).folder) }
      // The caller's file must never be next to the log of another database: SQLite would copy the
      // log into it.
      for path in [files.log, journal, files.index] where unlink(path) != 0 && errno != ENOENT {
        throw FileSystemError("remove", path)
      }
      try PartialFile.syncFolder(DatabaseFiles.split(kept).folder)
    } catch {
      throw .file(error)
    }
    return hasKept ? kept : nil
  }

  /// Copies the log into the database, and removes it.
  private static func endLog(
    of files: DatabaseFiles, busyTimeout: Duration, _ proceed: () -> Bool
  ) throws(BackupError) {
    do {
      // A log of another database would damage this one when it is opened.
      try files.checkLog()
      let database = try DatabaseOpening.owner(
        of: files.database, named: files.path, busyTimeout: busyTimeout)
      // Requires that no other connection exists.
      try LockWait(timeout: busyTimeout).retrying(while: proceed) {
        try database.execute("PRAGMA journal_mode = DELETE")
      }
      try database.close()
    } catch {
      switch StoreOpeningError(error, path: files.path) {
      case .locked: throw .isOpenElsewhere(path: files.path)
      case .cannotOpen, .damaged, .readOnly, .schemaNewer, .schemaOlder, .foreign, .inUse,
        .cannotLock, .foreignLog, .schemaChanged, .changed, .replaced, .notDurable, .noSecret,
        .unfinishedCopy:
        // The files remain unchanged.
        break
      }
    }
  }

  /// Finds an unused name next to the database.
  private static func name(
    for files: DatabaseFiles, at time: Timestamp
  ) throws(BackupError) -> String {
    // Without fractions, and without colons, which some file systems reject.
    let seconds = time.description.prefix(19).split(separator: ":").joined(separator: "-")
    let name = "\(files.database).replaced-\(seconds)Z"
    for number in 1..<1000 {
      let candidate = number == 1 ? name : "\(name)-\(number)"
      let paths = [candidate, candidate + "-wal", candidate + "-journal"]
      if paths.allSatisfy({ FileIdentity(at: $0) == nil }) { return candidate }
    }
    throw .file(FileSystemError("create", name, code: EEXIST))
  }

  /// Gives a file a second name; the corresponding C function is `link`.
  private static func link(_ path: String, _ other: String) throws(BackupError) {
    if Glibc.link(path, other) == 0 { return }
    // On a file system without hard links, the first name is missing for a moment.
    guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK,
      rename(path, other) == 0
    else { throw .file(FileSystemError("create", other)) }
  }
}
