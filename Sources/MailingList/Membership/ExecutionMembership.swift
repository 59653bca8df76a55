/// The membership of the subscriber who made a sign-up.
package struct ExecutionMembership: Hashable, Sendable {
  /// The store's number of the subscriber.
  package let subscriberID: Int64
  /// The last confirmation; `nil` while the person is not a subscriber.
  package let confirmedAt: Timestamp?

  package init(subscriberID: Int64, confirmedAt: Timestamp?) {
    self.subscriberID = subscriberID
    self.confirmedAt = confirmedAt
  }
}
