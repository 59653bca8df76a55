package import MailingList
package import Signals

extension SQLiteSubscriberStore: KeyStore {
  /// Reads a key; does not wait for the writer.
  package func key(_ id: String) -> Signal<StoredKey?, StoreError> {
    reads.read { try Queries.key(id, in: $0) }
  }

  /// Reads all keys, except unreadable rows; does not wait for the writer.
  package func keys() -> Signal<[StoredKey], StoreError> {
    reads.read { try Queries.readableKeys(in: $0) }
  }

  /// Stores the time and the origin of the last use of a key, in a transaction of sign-ups.
  ///
  /// The signal is cold and completes when the change is durable.
  package func record(_ use: KeyUse) -> Signal<Never, StoreError> {
    queue.change { (writer) throws(StoreError) in try writer.record(use) }
      .ignoreValues(as: Never.self)
  }
}

extension SQLiteSubscriberStore: StoreStatistics {
  /// The number of sign-ups without a transaction.
  package var queuedSignUps: Int { queue.signUpCount }

  /// The size of the write-ahead log in bytes; 0 while the file does not exist.
  package var logBytes: Int? { FileStatus(at: logPath)?.byteCount ?? 0 }

  /// Counts the subscribers of each state on a reader's thread.
  package func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError> {
    reads.read { try Queries.subscriberCounts(in: $0) }
  }
}
