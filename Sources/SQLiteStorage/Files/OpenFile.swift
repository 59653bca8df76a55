internal import CSQLite

/// A file that SQLite has open for a connection.
///
/// It is read through SQLite, because closing another descriptor would release SQLite's locks.
struct OpenFile {
  private let file: UnsafeMutablePointer<sqlite3_file>

  /// Finds a file of a connection, which must outlive this value; `nil` if the file is not open.
  ///
  /// - Parameter operation: `SQLITE_FCNTL_FILE_POINTER` for the database,
  ///   `SQLITE_FCNTL_JOURNAL_POINTER` for the log.
  init?(_ operation: Int32, of db: SQLiteConnection) {
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(db.handle, "main", operation, &pointer) == SQLITE_OK,
      let pointer, pointer.pointee.pMethods != nil
    else { return nil }
    file = pointer
  }

  /// Fills a buffer, or returns `false`; the corresponding system call is `pread`.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let (address, count) = (buffer.baseAddress, Int32(buffer.count))
    return file.pointee.pMethods.pointee.xRead?(file, address, count, Int64(offset)) == SQLITE_OK
  }

  /// Returns the beginning of the shared index of the log; the address is valid until the process
  /// has closed its last connection to the database.
  func index() -> UnsafeRawPointer? {
    var memory: UnsafeMutableRawPointer?
    let bytes = Int32(LogIndex.minimumBytes)
    let code = file.pointee.pMethods.pointee.xShmMap?(file, 0, bytes, 0, &memory)
    return code == SQLITE_OK ? memory.map { UnsafeRawPointer($0) } : nil
  }
}
