internal import ListStorage
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
package final class SQLiteSubscriberReader: SubscriberReader, ConsentReader {
  private let reads: ConcurrentReads

  /// Opens an existing database.
  ///
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's.
  package init(
    path: String,
    busyTimeout: Duration = .seconds(5),
    deliverOn: any Scheduler = ImmediateScheduler()
  ) throws(StoreOpeningError) {
    let database = try DatabaseOpening.reader(path: path, busyTimeout: busyTimeout)
    reads = ConcurrentReads(idle: [database], maximum: 1, scheduler: deliverOn) {
      try DatabaseOpening.reader(path: path, busyTimeout: busyTimeout)
    }
  }

  /// Reads subscribers in the order of their ids; each call sees its own snapshot of the list.
  ///
  /// The signal sends one array, which is empty after the last subscriber.
  ///
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are read; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers, 1 or more.
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    reads.list { (list) throws(StoreError) in try list.subscribers(after: id, limit: limit) }
  }

  /// Reads consents of subscribers; each call sees its own snapshot of the list.
  ///
  /// The signal sends one array, which is empty after the last consent.
  ///
  /// - Parameters:
  ///   - last: Only consents after this one are read; `nil` starts with the first.
  ///   - limit: The maximum number of consents, 1 or more.
  package func consents(
    ofSubscribers subscribers: ClosedRange<Int64>,
    after last: RecordedConsent?,
    limit: Int
  ) -> Signal<[RecordedConsent], StoreError> {
    reads.list { (list) throws(StoreError) in
      try list.consents(ofSubscribers: subscribers, after: last, limit: limit)
    }
  }
}
