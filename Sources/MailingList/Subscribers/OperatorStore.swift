package import EmailAddresses
package import Signals

/// The operator's access to the list.
///
/// Everything may be used from any thread and does not block. The signals are cold, send one value
/// unless they say otherwise, and fail with `StoreError`.
package protocol OperatorStore: EventReader, ConsentReader {
  /// Reads a subscriber; `nil` if there is none.
  func subscriber(_ id: Int64) -> Signal<Subscriber?, StoreError>

  /// Reads what the list has about addresses, in their order.
  func lookUp(_ addresses: [EmailAddress]) -> Signal<[AddressStatus], StoreError>

  /// Adds people with different addresses, by the rules of an import; sends the results in their
  /// order.
  func add(
    _ people: [ImportedPerson], by actor: EventActor, at time: Timestamp
  ) -> Signal<[ImportResult], StoreError>

  /// Changes the state of a subscriber.
  ///
  /// - Parameter isExpected: Whether the subscriber is as the operator has seen it; called on the
  ///   store's thread.
  func change(
    _ change: StateChange, of id: Int64, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool
  ) -> Signal<StateChangeResult, StoreError>

  /// Queues the mail that asks a pending subscriber to confirm again, within the limits of mails to
  /// a mailbox; sends ``StateChangeResult/unexpected`` if no one is asked.
  func requestConfirmation(
    of id: Int64, at time: Timestamp
  ) -> Signal<StateChangeResult, StoreError>

  /// Erases a subscriber with all that belongs to it.
  ///
  /// - Parameter isExpected: As in ``change(_:of:by:at:if:)``.
  func erase(
    _ id: Int64, leaving trace: ErasureTrace, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool
  ) -> Signal<StateChangeResult, StoreError>

  /// Suppresses an address, also one that is not on the list.
  func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError>

  /// Counts the events that are not counted yet, in parts; the signal sends the number of each.
  ///
  /// Each event is counted once, however many services of a list count: the position of the
  /// consumer changes in the transaction that adds to the tallies. Without new events nothing is
  /// written. Events that the log no longer contains are not counted.
  func countEvents() -> Signal<Int, StoreError>

  /// Reads the tallies from an hour and from a day on, both in hours since 1970.
  func tallies(fromHour hour: Int64, fromDay day: Int64) -> Signal<[Tally], StoreError>

  /// The number of sign-ups that wait for a transaction.
  var queuedSignUps: Int { get }

  /// The size of the log that is not yet part of the database, in bytes; `nil` for a store without
  /// such a file.
  var logBytes: Int? { get }
}

/// The subscriber of an address, and its suppression.
package struct AddressStatus: Hashable, Sendable {
  /// `nil` if the address is not on the list.
  package let subscriber: Subscriber?
  /// The reason why the address gets no mail, also if it is not on the list.
  package let suppression: Suppression?

  package init(subscriber: Subscriber?, suppression: Suppression?) {
    self.subscriber = subscriber
    self.suppression = suppression
  }
}

/// The result of a change by the operator.
package enum StateChangeResult: Hashable, Sendable {
  /// The subscriber afterwards, also if nothing had to change; the erased one as it was.
  case changed(Subscriber)
  /// The subscriber is not as expected; nothing changes.
  case unexpected
  /// There is no such subscriber.
  case unknown
}
