package import MailingList

/// A database that has replaced another one.
package struct SQLiteRestore: Hashable, Sendable {
  /// The path of the replaced database; `nil` if no database existed.
  package let replaced: String?
  package let migration: SQLiteMigration
  /// The contents of the restored database.
  package let contents: SQLiteVerification

  /// Replaces a database by a copy of a backup.
  ///
  /// The copy is migrated to the latest schema and verified before anything else changes. The old
  /// database remains next to it, as `NAME.replaced-TIME`. If the process is killed, the path names
  /// either the old database or the new one, each of them complete.
  ///
  /// - Parameters:
  ///   - backup: The path of the backup, or of a database with its log; it does not change.
  ///   - proceed: Called about every millisecond while the copy is made and verified; returns
  ///     `false` to end the command.
  /// - Throws: `BackupError`, also while a service uses the database; the old database is still in
  ///   place.
  package static func run(
    _ backup: String, to path: String, at time: Timestamp = .now,
    busyTimeout: Duration = .seconds(5), warn: @Sendable (StoreWarning) -> Void = { _ in },
    proceed: @escaping (CopyProgress) -> Bool = { _ in true }
  ) throws(BackupError) -> SQLiteRestore {
    let files = DatabaseFiles(path: path)
    guard !files.includes(backup) else { throw .isDatabase(path: backup) }
    try requireFile(backup)
    let old = FileStatus(at: files.database)
    if let old, !old.isRegular { throw .notAFile(path: path) }
    let lock = try takeLock(files, warn)
    defer { lock.release() }
    // Files of root must not remain, because the service could not open them.
    let folder = DatabaseFiles.split(files.database).folder
    let owner = old ?? FileStatus(at: folder)
    lock.setOwner(to: owner)

    let file = try PartialFile(replacing: files.database)
    file.setOwner(to: owner)
    try copy(backup, to: file, busyTimeout, proceed)
    let proceed = {
      let size = file.byteCount
      return proceed(CopyProgress(copiedBytes: size, totalBytes: size))
    }
    let (migration, contents) = try verify(file, named: backup, busyTimeout, proceed)
    let replaced = try ReplacedDatabase.keep(files, at: time, busyTimeout: busyTimeout, proceed)
    do throws(FileSystemError) {
      try file.replaceTarget()
    } catch {
      throw .file(error)
    }
    lock.forgetOwner()
    return SQLiteRestore(replaced: replaced, migration: migration, contents: contents)
  }

  /// Rejects a backup that is not a regular file, before anything is locked.
  private static func requireFile(_ backup: String) throws(BackupError) {
    do throws(StoreOpeningError) {
      try DatabaseFiles(path: backup).require()
    } catch {
      throw .database(error)
    }
  }

  private static func takeLock(
    _ files: DatabaseFiles, _ warn: @Sendable (StoreWarning) -> Void
  ) throws(BackupError) -> StoreLock {
    do throws(StoreOpeningError) {
      return try StoreLock(files, warn: warn)
    } catch {
      throw .database(error)
    }
  }

  private static func copy(
    _ backup: String, to file: PartialFile, _ busyTimeout: Duration,
    _ proceed: @escaping (CopyProgress) -> Bool
  ) throws(BackupError) {
    let (source, _) = try DatabaseOpening.source(path: backup, busyTimeout: busyTimeout)
    do throws(BackupError) {
      try DatabaseCopy.write(source, to: file, proceed: proceed)
    } catch {
      // The backup is damaged, not the database at the target path.
      guard case .notCopied(_, .damaged) = error else { throw error }
      throw .database(.damaged(path: backup, reason: "it cannot be read completely"))
    }
    // Ends the connection; nothing was written.
    try? source.close()
  }

  private static func verify(
    _ file: PartialFile, named backup: String, _ busyTimeout: Duration,
    _ proceed: @escaping () -> Bool
  ) throws(BackupError) -> (SQLiteMigration, SQLiteVerification) {
    do {
      let copy = try DatabaseOpening.owner(of: file.path, named: backup, busyTimeout: busyTimeout)
      let migration = try copy.run(while: proceed) {
        try SQLiteMigration.run(on: copy, path: backup)
      }
      let contents = try SQLiteVerification.run(on: copy, named: backup, proceed: proceed)
      // The database goes back in time, and its positions will be given again.
      try copy.run(while: proceed) { try copy.execute(Migrations.newEpoch) }
      try copy.close()
      return (migration, contents)
    } catch let error as BackupError {
      throw error
    } catch  where StoreError(error) == .interrupted {
      throw .interrupted
    } catch {
      throw .database(StoreOpeningError(error, path: backup))
    }
  }
}
