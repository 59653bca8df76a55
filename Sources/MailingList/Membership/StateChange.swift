/// A change of a state by the operator.
package enum StateChange: Hashable, Sendable {
  /// The person is off the list, and may come back by confirming; this also ends a suppression.
  case unsubscribe
  case suppress(Suppression)
}

extension Membership {
  /// Returns the membership after a change by the operator, which is the same if it already is as
  /// wanted, or suppressed for a stronger reason; `nil` for an address that is not on the list.
  ///
  /// Nobody can be made a subscriber: that takes the owner of the address.
  package func changed(_ change: StateChange, at time: Timestamp) -> Membership? {
    switch (change, state) {
    case (_, nil): nil
    case (.unsubscribe, .unsubscribed): self
    case (.unsubscribe, .pending), (.unsubscribe, .subscribed): leave(at: time)
    case (.unsubscribe, .suppressed):
      Membership(state: .unsubscribed, confirmedAt: confirmedAt, unsubscribedAt: time)
    case (.suppress(let reason), .pending), (.suppress(let reason), .subscribed),
      (.suppress(let reason), .unsubscribed), (.suppress(let reason), .suppressed):
      suppress(reason, at: time) ?? self
    }
  }
}
