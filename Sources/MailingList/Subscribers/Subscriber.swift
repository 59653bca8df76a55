/// A person on the list, as an operator exports it.
package struct Subscriber: Hashable, Sendable {
  /// The state of a subscriber; `docs/decisions/` tells how an address moves between them.
  package enum State: Int64, Hashable, Sendable, CaseIterable {
    /// Asked for, not proven.
    case pending = 0
    /// On the list.
    case subscribed = 1
    /// Left the list.
    case unsubscribed = 2
    /// Never to be written to.
    case suppressed = 3

    /// The name in exports.
    package var name: String {
      switch self {
      case .pending: "pending"
      case .subscribed: "subscribed"
      case .unsubscribed: "unsubscribed"
      case .suppressed: "suppressed"
      }
    }
  }

  /// The store's own number; grows in the order of first sign-ups.
  package let id: Int64
  /// Where mail goes: the address of the first sign-up, not one typed later.
  package let address: String
  /// Whether the person is on the list.
  package let state: State
  /// The language that was asked for (BCP 47), if any.
  package let locale: String?
  /// The first sign-up.
  package let createdAt: Timestamp
  /// When the owner proved the address, or when opt-in was single, of the sign-up.
  package let confirmedAt: Timestamp?
  /// When the owner left.
  package let unsubscribedAt: Timestamp?

  /// Makes a subscriber of what a store read.
  package init(
    id: Int64,
    address: String,
    state: State,
    locale: String?,
    createdAt: Timestamp,
    confirmedAt: Timestamp?,
    unsubscribedAt: Timestamp?
  ) {
    self.id = id
    self.address = address
    self.state = state
    self.locale = locale
    self.createdAt = createdAt
    self.confirmedAt = confirmedAt
    self.unsubscribedAt = unsubscribedAt
  }
}
