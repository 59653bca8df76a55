/// A person on the list, in the form that the operator exports.
package struct Subscriber: Hashable, Sendable {
  /// The state of a subscriber; `docs/decisions/` describes the transitions.
  package enum State: Int64, Hashable, Sendable, CaseIterable {
    /// The address was signed up, but is not confirmed.
    case pending = 0
    /// The address is on the list.
    case subscribed = 1
    /// The person has left the list.
    case unsubscribed = 2
    /// The address must never receive mail.
    case suppressed = 3

    package var name: String {
      switch self {
      case .pending: "pending"
      case .subscribed: "subscribed"
      case .unsubscribed: "unsubscribed"
      case .suppressed: "suppressed"
      }
    }
  }

  /// The store's own number, which increases in the order of first sign-ups.
  package let id: Int64
  /// The address of the first sign-up, not of a later one; mail goes to it.
  package let address: String
  package let state: State
  /// The requested language (BCP 47), if any.
  package let locale: String?
  /// The time of the first sign-up.
  package let createdAt: Timestamp
  /// The time of the confirmation; with single opt-in, of the sign-up.
  package let confirmedAt: Timestamp?
  package let unsubscribedAt: Timestamp?
  /// The reason for the state ``State/suppressed``; `nil` in any other state.
  package let suppression: Suppression?
  /// The owner's fields from the sign-up that was confirmed, a JSON object whose values are strings.
  package let fields: String?

  package init(
    id: Int64, address: String, state: State, locale: String?, createdAt: Timestamp,
    confirmedAt: Timestamp?, unsubscribedAt: Timestamp?, suppression: Suppression? = nil,
    fields: String? = nil
  ) {
    self.id = id
    self.address = address
    self.state = state
    self.locale = locale
    self.createdAt = createdAt
    self.confirmedAt = confirmedAt
    self.unsubscribedAt = unsubscribedAt
    self.suppression = suppression
    self.fields = fields
  }
}
