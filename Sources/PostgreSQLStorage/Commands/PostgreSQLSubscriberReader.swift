internal import ListStorage
package import MailingList
package import Signals

/// A reader of a database next to the service that writes it, also of a standby; `export` uses it.
///
/// The connection is closed when the reader is released.
package final class PostgreSQLSubscriberReader: SubscriberReader, ConsentReader {
  private let reads: ReaderQueue

  /// Connects to a database.
  ///
  /// - Parameter timeout: How long the server may take for a statement.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's.
  package init(
    _ parameters: ConnectionParameters,
    timeout: Duration = .seconds(5),
    deliverOn: any Scheduler = ImmediateScheduler()
  ) throws(PostgreSQLOpeningError) {
    let opened = try CommandConnection(parameters, timeout: timeout, mayRead: true)
    reads = ReaderQueue(maximumQueued: 1024, timeout: timeout)
    PostgreSQLReader.start(opened.connection, reads, timeout: timeout, deliverOn: deliverOn)
  }

  deinit {
    reads.close()
  }

  /// Reads subscribers in the order of their ids; each call sees its own snapshot of the list.
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    reads.read { (list) throws(StoreError) in try list.subscribers(after: id, limit: limit) }
  }

  /// Reads consents of subscribers; each call sees its own snapshot of the list.
  package func consents(
    ofSubscribers subscribers: ClosedRange<Int64>,
    after last: RecordedConsent?,
    limit: Int
  ) -> Signal<[RecordedConsent], StoreError> {
    reads.read { (list) throws(StoreError) in
      try list.consents(ofSubscribers: subscribers, after: last, limit: limit)
    }
  }
}
