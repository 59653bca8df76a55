package import MailingList
package import Signals

/// Read access to a list whose rules and statements are those of this module.
package protocol ReadableList: SubscriberReader, ConsentReader, EventReader {
  /// Returns a cold signal that reads at each subscription, from a snapshot of its own.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError>
}

extension ReadableList {
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    read { (list) throws(StoreError) in try list.subscribers(after: id, limit: limit) }
  }

  package func consents(
    ofSubscribers subscribers: ClosedRange<Int64>,
    after last: RecordedConsent?,
    limit: Int
  ) -> Signal<[RecordedConsent], StoreError> {
    read { (list) throws(StoreError) in
      try list.consents(ofSubscribers: subscribers, after: last, limit: limit)
    }
  }

  package func events(after position: Int64, limit: Int) -> Signal<EventPage, StoreError> {
    read { (list) throws(StoreError) in try list.events(after: position, limit: limit) }
  }
}
