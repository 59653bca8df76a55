internal import Glibc
internal import Platform

/// The thorough check of a database, which runs while the database is in use.
///
/// The checks before it take the same time for a list of any length, so that the service responds
/// soon after its start. Damaged pages are also detected when they are read.
enum LaterCheck {
  /// The lowest priority, which also applies to the disk.
  private static let niceness: Int32 = 19

  /// Checks every page and row on a separate thread, until reads stop.
  ///
  /// Until the check ends, the log cannot restart from its beginning, as during a backup.
  ///
  /// - Parameters:
  ///   - queue: Rejects everything once damage has been found.
  ///   - warn: Called once if damage has been found.
  static func begin(
    of path: String, _ reads: ConcurrentReads, _ queue: WriterQueue,
    warn: @escaping @Sendable (StoreWarning) -> Void
  ) {
    NamedThread.start("store-check") {
      // On Linux, each thread has its own priority; the read runs on this thread.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      do {
        try reads.readAtLength { db in try IntegrityCheck.run(db, path: path) }
      } catch {
        // A read that fails for another reason does not indicate damaged pages.
        guard case .damaged(_, let reason) = StoreOpeningError(error, path: path) else { return }
        queue.reject()
        warn(.damaged(path: path, reason: reason))
      }
    }
  }
}
