internal import Foundation
internal import GRDB
internal import Glibc

/// The thorough check of a database, which runs while the database is used.
///
/// Before that, only what costs the same for a list of any length is checked, so that the service
/// responds soon after its start. Pages that are damaged are also noticed when they are read.
enum LaterCheck {
  /// The lowest priority: also the disk prefers other threads.
  private static let niceness: Int32 = 19

  /// Checks every page and row on a thread of its own, until reads stop.
  ///
  /// Until the check ends, the log cannot start from its beginning, as during a backup.
  ///
  /// - Parameters:
  ///   - queue: Accepts nothing more once damage has been found.
  ///   - warn: Called once if damage has been found.
  static func begin(
    of path: String,
    _ reads: ConcurrentReads,
    _ queue: WriterQueue,
    warn: @escaping @Sendable (StoreWarning) -> Void
  ) {
    let thread = Thread {
      // On Linux, each thread has its own; the read uses this one.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      do {
        try reads.readAtLength { db in try IntegrityCheck.run(db, path: path) }
      } catch {
        // What cannot be read for another reason says nothing about the pages.
        guard case .damaged(_, let reason) = StoreOpeningError(error, path: path) else { return }
        queue.reject()
        warn(.damaged(path: path, reason: reason))
      }
    }
    thread.start()
    thread.name = "store-check"
  }
}
