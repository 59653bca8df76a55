internal import GRDB

extension DatabaseOpening {
  /// Opens an existing database for copying or verifying it, while another process may be writing
  /// to it.
  ///
  /// - Parameter path: The database file, which is neither created nor changed; its schema may be
  ///   older than this program's.
  static func source(
    path: String,
    busyTimeout: Duration
  ) throws(BackupError) -> (DatabaseQueue, version: Int) {
    do throws(StoreOpeningError) {
      let (queue, version) = try readOnly(path: path, busyTimeout: busyTimeout) { db in
        try Migrations.version(of: db, path: path)
      }
      guard version > 0 else { throw .damaged(path: path, reason: "it has no tables") }
      return (queue, version)
    } catch {
      throw .database(error)
    }
  }

  /// Opens an existing database that no service uses, for changing it as a whole; its commits are
  /// durable.
  static func owner(
    of file: String,
    named path: String,
    busyTimeout: Duration
  ) throws(StoreOpeningError) -> DatabaseQueue {
    try DatabaseFiles(path: file).require(named: path)
    do {
      let configuration = configuration(busyTimeout: busyTimeout)
      let queue = try DatabaseQueue(path: file, configuration: configuration)
      try queue.inDatabase { try prepareForChanges($0, path: path) }
      return queue
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }
}
