package import MailingList
package import Signals

extension PostgreSQLSubscriberStore: KeyStore {
  /// Reads a key; does not wait for the writer.
  package func key(_ id: String) -> Signal<StoredKey?, StoreError> {
    reads.read { (session) throws(PostgreSQLError) in try Queries.key(id, in: session) }
  }

  /// Reads all keys that can be read; does not wait for the writer.
  package func keys() -> Signal<[StoredKey], StoreError> {
    reads.read { (session) throws(PostgreSQLError) in try Queries.readableKeys(in: session) }
  }

  /// Stores when and from where a key was last used, after the sign-ups that are queued.
  ///
  /// - Returns: A cold signal that completes when that is durable.
  package func record(_ use: KeyUse) -> Signal<Never, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in try writer.record(use) }
      .ignoreValues(as: Never.self)
  }
}

extension PostgreSQLSubscriberStore: StoreStatistics {
  /// The number of sign-ups that wait for a batch.
  package var queuedSignUps: Int { queue.signUpCount }

  /// `nil`: the server's write-ahead log is the operator's.
  package var logBytes: Int? { nil }

  /// Counts the subscribers of each state in parts, between which others read.
  package func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError> {
    subscriberCounts(inPartsOf: SubscriberCount.partSize)
  }

  /// Counts the subscribers of each state in parts of a size.
  ///
  /// - Parameter size: The number of subscribers that one statement counts, at least 1.
  func subscriberCounts(inPartsOf size: Int) -> Signal<[Subscriber.State: Int], StoreError> {
    Signal { [reads] observer in
      SubscriberCount(reads: reads, partSize: size, observer: observer).run()
      return nil
    }
  }
}
