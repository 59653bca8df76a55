internal import CSQLite
internal import MailingList
internal import Synchronization

/// A difference between the files of an open database and the files that SQLite has written.
enum FileChange: Hashable, Sendable {
  /// The paths name other files or no files; the open files are intact.
  case moved
  /// The index of the log, or a log that has already been copied, has become unusable. The other
  /// files contain everything, and the next program that opens them recovers it.
  case recoverable
  /// A program other than SQLite has written the database or its log.
  case damaged
}

/// A check that the paths of a database still name the open files, and that only SQLite has changed
/// these files.
///
/// Commits go to the open files, even after these have been renamed or removed. After a
/// replacement, a program that opens the database by its path would not find those commits. In
/// addition, a checkpoint copies a truncated or overwritten log into the database, which damages
/// it.
///
/// Other programs may commit, copy the log and truncate it if they use SQLite: the expected content
/// of the files is read from the index of the log, which SQLite changes before the files.
// @unchecked Sendable because threads other than the writer's use only the atomic number.
final class DatabaseWatch: @unchecked Sendable {
  /// The database file after the last checkpoint; it must not change before the next one.
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
  /// The minimum size of the index; a smaller file must not be used, because reading a missing page
  /// ends the process with SIGBUS.
  private let indexBytes = Atomic(LogIndex.minimumBytes)
  private var content: Content?
  /// The index at the last check.
  private var index: LogIndex?
  /// The change that was found; it is permanent.
  private(set) var change: FileChange?

  /// Records the files of a connection.
  ///
  /// - Parameter db: An open connection in WAL mode that has already read from the database, so
  ///   that its log is open; the watch must not be used after it is closed.
  /// - Throws: `StoreOpeningError.replaced` if the paths already name other files.
  init(_ files: DatabaseFiles, of db: SQLiteConnection) throws(StoreOpeningError) {
    guard let databaseIdentity = FileIdentity(at: files.path),
      let logIdentity = FileIdentity(at: files.log),
      let indexIdentity = FileIdentity(at: files.index),
      let database = OpenFile(SQLITE_FCNTL_FILE_POINTER, of: db),
      let log = OpenFile(SQLITE_FCNTL_JOURNAL_POINTER, of: db),
      let memory = database.index()
    else { throw .replaced(path: files.path) }
    var hasMoved: Int32 = 0
    sqlite3_file_control(db.handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard hasMoved == 0 else { throw .replaced(path: files.path) }
    self.files = files
    self.databaseIdentity = databaseIdentity
    self.logIdentity = logIdentity
    self.indexIdentity = indexIdentity
    self.database = database
    self.log = log
    self.memory = memory
  }

  /// The record that names the log's database.
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

  /// Checks the files; this costs three calls of `statx` and one of `pread`.
  ///
  /// Every check after the first change returns that change.
  func check(_ db: SQLiteConnection) -> FileChange? {
    if change == nil { change = findChange(db) }
    // The index may be read only while the files are intact.
    if change != nil { indexBytes.store(.max, ordering: .relaxed) }
    return change
  }

  /// Reads the whole log, and checks that its content is what SQLite wrote.
  func checkCompletely(_ db: SQLiteConnection) -> FileChange? {
    // Another program may restart the log from its beginning meanwhile.
    for _ in 0..<10 {
      let found = check(db)
      guard found != .damaged, let index else { return found }
      if LogHead.isIntact(log, index) { return found }
      if found != nil || LogIndex(memory) == index { break }
    }
    change = .damaged
    return .damaged
  }

  private func findChange(_ db: SQLiteConnection) -> FileChange? {
    while true {
      // Read the index first: SQLite changes it before the files, except that a commit writes the
      // log first.
      let isIndexIntact = checkIndexFile()
      let index = isIndexIntact ? LogIndex(memory) : nil
      guard let database = FileVersion(at: files.path, readingTime: true),
        database.identity == databaseIdentity, let log = FileVersion(at: files.log),
        log.identity == logIdentity
      else { return .moved }
      guard isIndexIntact else { return .recoverable }
      // SQLite recreates an overwritten index.
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
    // An index that was recreated from a damaged log has fewer frames.
    if let last = self.index, last.salts == index.salts, last.frameCount > index.frameCount {
      return false
    }
    guard index.frameCount > 0 else { return true }
    return log.byteCount >= index.logBytes && LogHead(self.log)?.salts == index.salts
  }

  /// Checks a database that has changed, or may have changed, since the last check.
  private func findChange(
    _ version: FileVersion, _ head: DatabaseHead?, _ index: LogIndex, _ db: SQLiteConnection
  ) -> FileChange? {
    guard let checkpoint = index.checkpoint else {
      content = nil
      return nil
    }
    guard let head, head.isPossible(with: index, byteCount: version.byteCount) else {
      return .damaged
    }
    if let content, content.checkpoint == checkpoint {
      // `touch` changes the time alone, too.
      guard content.version.byteCount == version.byteCount, content.head == head, isReadable(db)
      else { return .damaged }
    }
    content = Content(checkpoint: checkpoint, version: version, head: head)
    return nil
  }

  /// Whether SQLite finds no damage in the database; the statement is `PRAGMA quick_check`.
  private func isReadable(_ db: SQLiteConnection) -> Bool {
    // Otherwise SQLite would check cached pages, which the connection read earlier.
    sqlite3_db_release_memory(db.handle)
    do {
      return try db.text("PRAGMA quick_check(1)") == "ok"
    } catch {
      return StoreError(error) == .locked
    }
  }
}
