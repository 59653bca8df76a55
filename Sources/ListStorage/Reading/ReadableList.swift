package import MailingList
package import Signals

/// Read access to a list whose rules and statements are those of this module.
package protocol ReadableList: EventReader, ConsentReader {
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
    ofSubscribers subscribers: ClosedRange<Int64>, after last: RecordedConsent?, limit: Int
  ) -> Signal<[RecordedConsent], StoreError> {
    read { (list) throws(StoreError) in
      try list.consents(ofSubscribers: subscribers, after: last, limit: limit)
    }
  }

  package func events(after position: Int64, limit: Int) -> Signal<EventPage, StoreError> {
    read { (list) throws(StoreError) in try list.events(after: position, limit: limit) }
  }
}

extension ReadableList {
  package func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError> {
    subscriberCounts(after: .min)
  }

  /// Counts the subscribers of each state in parts, between which others read.
  ///
  /// Counting a long list takes seconds: one statement would delay all other reads of a connection,
  /// and from some length on exceed the time limit of a server.
  ///
  /// - Parameter size: The number of subscribers that one statement counts, in some 20 ms.
  package func subscriberCounts(
    after id: Int64, inPartsOf size: Int = 65_536
  ) -> Signal<[Subscriber.State: Int], StoreError> {
    read { (list) throws(StoreError) in try list.subscriberCounts(after: id, limit: size) }
      .flatMap { part -> Signal<[Subscriber.State: Int], StoreError> in
        guard let last = part.last else { return .just(part.numbers) }
        return self.subscriberCounts(after: last, inPartsOf: size)
          .map { $0.merging(part.numbers, uniquingKeysWith: +) }
      }
  }
}
