package import MailingList
package import Signals

/// A reader of a database, or of a standby, beside the service that writes it; `export` uses it.
///
/// The connection is closed when the reader is released.
package final class PostgreSQLSubscriberReader: ReadableList {
  private let reads: ReaderQueue

  /// Connects to a database.
  ///
  /// - Parameter timeout: The timeout of a statement.
  /// - Throws: `PostgreSQLOpeningError`, also when the schema is older than this program's.
  package init(
    _ parameters: ConnectionParameters, timeout: Duration = .seconds(5),
    deliverOn: any Scheduler = ImmediateScheduler()
  ) throws(PostgreSQLOpeningError) {
    let opened = try CommandConnection(parameters, timeout: timeout, mayRead: true)
    reads = ReaderQueue(maximumQueued: 1024, timeout: timeout)
    PostgreSQLReader.start(opened.connection, reads, timeout: timeout, deliverOn: deliverOn)
  }

  deinit {
    reads.close()
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    reads.read(body)
  }
}
