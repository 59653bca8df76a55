package import MailingList
package import Signals

/// A reader of a database that a service may be writing to; `export` uses it.
///
/// It never creates or migrates the file, and it never makes the service wait: a reader in WAL mode
/// takes no lock that the writer needs. SQLite may create the files of that mode (`-wal`, `-shm`)
/// next to the database, so the folder must be writable unless they already exist
/// (<https://www.sqlite.org/wal.html#read_only_databases>).
///
/// The database is closed when the reader is released.
package final class SQLiteSubscriberReader: ReadableList {
  private let reads: ConcurrentReads

  /// Opens an existing database.
  ///
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's.
  package init(
    path: String, busyTimeout: Duration = .seconds(5),
    deliverOn: any Scheduler = ImmediateScheduler()
  ) throws(StoreOpeningError) {
    let database = try DatabaseOpening.reader(path: path, busyTimeout: busyTimeout)
    reads = ConcurrentReads(idle: [database], maximum: 1, scheduler: deliverOn) {
      try DatabaseOpening.reader(path: path, busyTimeout: busyTimeout)
    }
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    reads.list(body)
  }
}
