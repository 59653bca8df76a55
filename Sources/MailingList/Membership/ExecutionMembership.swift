/// What has become of the person of an execution.
package struct ExecutionMembership: Hashable, Sendable {
  /// The store's number of the subscriber.
  package let subscriberID: Int64
  /// The last confirmation; `nil` while the person is not a subscriber.
  package let confirmedAt: Timestamp?

  /// Creates a membership from stored values.
  ///
  /// - Parameter confirmedAt: The last confirmation, if the person is a subscriber.
  package init(subscriberID: Int64, confirmedAt: Timestamp?) {
    self.subscriberID = subscriberID
    self.confirmedAt = confirmedAt
  }
}
