internal import GRDB
package import MailingList
package import Signals

/// A database that is read beside the service that writes it: what `export` uses.
///
/// It never creates the file, never migrates it, and never makes the service wait: a reader of a
/// database in WAL mode takes no lock that a writer needs. The files of that mode (`-wal`, `-shm`)
/// may come to lie beside it, so the folder has to be writable unless they are there already
/// (<https://www.sqlite.org/wal.html#read_only_databases>).
///
/// Closed when nobody holds it any more.
package final class SQLiteSubscriberReader: SubscriberReader {
  private let reads: ConcurrentReads

  /// Opens a database that exists.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - busyTimeout: How long to wait while another process opens or closes the database.
  ///   - deliverOn: Where what was read is sent.
  /// - Throws: `StoreOpeningError`, also for a schema that is older than this program's.
  package init(
    path: String,
    busyTimeout: Duration = .seconds(5),
    deliverOn: any Scheduler = ImmediateScheduler()
  ) throws(StoreOpeningError) {
    let database = try DatabaseOpening.reader(path: path, busyTimeout: busyTimeout)
    reads = ConcurrentReads(database, scheduler: deliverOn)
  }

  /// Reads subscribers in the order of their ids; each part is a moment of its own.
  ///
  /// - Parameters:
  ///   - id: Only ids above this one; `nil` begins at the first.
  ///   - limit: How many at the most, 1 or more.
  /// - Returns: One array; empty when there are none left.
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    reads.read { try Queries.subscribers(after: id, limit: limit, in: $0) }
  }
}
