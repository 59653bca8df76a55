internal import GRDB
internal import GRDBSQLite
internal import MailingList
internal import Synchronization

/// How the files of an open database differ from what SQLite has written.
enum FileChange: Hashable, Sendable {
  /// The paths name other files or none; the open files are intact.
  case moved
  /// The index of the log, or a log that has been copied, cannot be used any longer. The other files
  /// contain everything, and the next program that opens them recovers it.
  case recoverable
  /// The database or its log was written by another program than SQLite.
  case damaged
}

/// A check that the paths of a database still name the open files, and that nothing but SQLite has
/// changed these.
///
/// Commits go to the open files, even if these have been renamed or removed meanwhile. After a
/// replacement, a program that opens the database by its path would not find those commits. And a
/// checkpoint copies a log that was truncated or overwritten into the database, which damages it.
///
/// Other programs may commit, copy the log and truncate it, if they do so with SQLite: what the files
/// must contain is read from the index of the log, which SQLite changes before the files.
// @unchecked Sendable because only the atomic number is used on other threads than the writer's.
final class DatabaseWatch: @unchecked Sendable {
  /// The database file after the last checkpoint, which nothing may change until the next one.
  private struct Content {
    let checkpoint: LogIndex.Checkpoint
    var version: FileVersion
    let head: DatabaseHead
  }

  private let files: DatabaseFiles
  private let databaseIdentity: FileIdentity
  private let logIdentity: FileIdentity
  private let indexIdentity: FileIdentity
  private let database: OpenFile
  private let log: OpenFile
  private let memory: UnsafeRawPointer
  /// The size of the index, below which nothing may use it: reading what is missing ends the process
  /// with SIGBUS.
  private let indexBytes = Atomic(LogIndex.minimumBytes)
  private var content: Content?
  /// The index at the last check.
  private var index: LogIndex?
  /// The change that was found; nothing undoes it.
  private(set) var change: FileChange?

  /// Records the files of a connection.
  ///
  /// - Parameter db: An open connection in WAL mode that has already read from the database, so
  ///   that its log is open; the watch must not be used after it is closed.
  /// - Throws: `StoreOpeningError.replaced` when the paths already name other files.
  init(_ files: DatabaseFiles, of db: Database) throws(StoreOpeningError) {
    guard let databaseIdentity = FileIdentity(at: files.path),
      let logIdentity = FileIdentity(at: files.log),
      let indexIdentity = FileIdentity(at: files.index),
      let database = OpenFile(SQLITE_FCNTL_FILE_POINTER, of: db),
      let log = OpenFile(SQLITE_FCNTL_JOURNAL_POINTER, of: db),
      let memory = database.index()
    else { throw .replaced(path: files.path) }
    var hasMoved: Int32 = 0
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard hasMoved == 0 else { throw .replaced(path: files.path) }
    self.files = files
    self.databaseIdentity = databaseIdentity
    self.logIdentity = logIdentity
    self.indexIdentity = indexIdentity
    self.database = database
    self.log = log
    self.memory = memory
  }

  /// The record of the database that the log belongs to.
  var owner: LogOwner {
    var owner = LogOwner(database: databaseIdentity.inode, log: logIdentity.inode)
    owner.isDamaged = change == .damaged
    return owner
  }

  /// Whether a connection may use the index.
  ///
  /// Any thread may call it; it costs a call of `statx`.
  var isIndexIntact: Bool {
    guard let version = FileVersion(at: files.index) else { return false }
    return version.identity == indexIdentity
      && version.byteCount >= indexBytes.load(ordering: .relaxed)
  }

  /// Checks the files; it costs three calls of `statx` and one of `pread`.
  ///
  /// - Returns: The change, if there is one; then it is also the result of each later check.
  func check(_ db: Database) -> FileChange? {
    if change == nil { change = findChange(db) }
    // The index may be read only while the files are intact.
    if change != nil { indexBytes.store(.max, ordering: .relaxed) }
    return change
  }

  /// Reads the whole log, and checks that it is what was written.
  ///
  /// - Returns: The change, if there is one.
  func checkCompletely(_ db: Database) -> FileChange? {
    // Another program may start the log from its beginning meanwhile.
    for _ in 0..<10 {
      let found = check(db)
      guard found != .damaged, let index else { return found }
      if LogHead.isIntact(log, index) { return found }
      if found != nil || LogIndex(memory) == index { break }
    }
    change = .damaged
    return .damaged
  }

  private func findChange(_ db: Database) -> FileChange? {
    while true {
      // The index first: SQLite changes it before the files, except that a commit writes the log first.
      let isIndexIntact = checkIndexFile()
      let index = isIndexIntact ? LogIndex(memory) : nil
      guard let database = FileVersion(at: files.path, readingTime: true),
        database.identity == databaseIdentity, let log = FileVersion(at: files.log),
        log.identity == logIdentity
      else { return .moved }
      guard isIndexIntact else { return .recoverable }
      // SQLite makes an index that was overwritten again.
      guard let index else { return nil }
      let isLogIntact = isIntact(log, index)
      if isLogIntact, let content, content.checkpoint == index.checkpoint,
        content.version == database
      {
        self.index = index
        return nil
      }
      let head = DatabaseHead(self.database)
      // Another program may have written since the index was read.
      guard LogIndex(memory) == index else { continue }
      guard index.isPossible else { return .recoverable }
      guard isLogIntact else {
        return log.byteCount == 0 && index.isCopied ? .recoverable : .damaged
      }
      self.index = index
      return findChange(database, head, index, db)
    }
  }

  /// Checks the size of the index, which grows but never shrinks while it is in use.
  private func checkIndexFile() -> Bool {
    guard let version = FileVersion(at: files.index), version.identity == indexIdentity,
      version.byteCount >= indexBytes.load(ordering: .relaxed)
    else { return false }
    indexBytes.store(version.byteCount, ordering: .relaxed)
    return true
  }

  private func isIntact(_ log: FileVersion, _ index: LogIndex) -> Bool {
    // An index that was made again from a damaged log has fewer frames.
    if let last = self.index, last.salts == index.salts, last.frameCount > index.frameCount {
      return false
    }
    guard index.frameCount > 0 else { return true }
    return log.byteCount >= index.logBytes && LogHead(self.log)?.salts == index.salts
  }

  /// Checks a database that is not, or may not be, that of the last check.
  private func findChange(
    _ version: FileVersion,
    _ head: DatabaseHead?,
    _ index: LogIndex,
    _ db: Database
  ) -> FileChange? {
    guard let checkpoint = index.checkpoint else {
      content = nil
      return nil
    }
    guard let head, head.isPossible(with: index, byteCount: version.byteCount) else {
      return .damaged
    }
    if let content, content.checkpoint == checkpoint {
      // The time alone changes with `touch`, too.
      guard content.version.byteCount == version.byteCount, content.head == head, isReadable(db)
      else { return .damaged }
    }
    content = Content(checkpoint: checkpoint, version: version, head: head)
    return nil
  }

  /// Whether SQLite finds no damage in the database; the corresponding statement is
  /// `PRAGMA quick_check`.
  private func isReadable(_ db: Database) -> Bool {
    // Otherwise, it would check the pages that the connection read earlier.
    sqlite3_db_release_memory(db.sqliteConnection)
    do {
      return try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok"
    } catch {
      return StoreError(error) == .locked
    }
  }
}
